/** Exports of `@weir/sdk`. */
export { type AllowUpTo, allowUpTo, type OnUnavailable } from './allowance.ts'
export type {
  ListItem,
  ListPath,
  Method,
  PathWith,
  Query,
  RequestInput,
  RequestSettings,
  Result,
  Schema,
} from './api.ts'
export type { components, paths } from './api-types.ts'
export { type Answer, Client, type ClientOptions } from './client.ts'
export {
  type ApiErrorCode,
  type ErrorCode,
  type ErrorDetails,
  isRefusal,
  isUnavailable,
  type RefusalCode,
  WeirError,
  type WeirErrorWith,
} from './errors.ts'
export type { Notice } from './outbox.ts'
export type { Report, Run } from './run.ts'
export { MemorySpool, type Spool, type SpooledRequest } from './spool.ts'
export { type Usage, usageOf } from './usage.ts'
export { type RunOptions, type RunParameters, Weir, type WeirOptions } from './weir.ts'
