import type { Deprecation } from '../../packages/server/src/contract/deprecations/registry.ts'
import type { Document, Schema } from './document.ts'

/** An error code as clients know it. */
export interface PublishedError {
  readonly code: string
  readonly statuses: readonly number[]
  readonly details: Schema
}

/** What a release promises to those outside: the files of `releases/<version>/`. */
export interface Surface {
  readonly openapi: Document
  readonly errors: readonly PublishedError[]
  readonly deprecations: readonly Deprecation[]
  /** Names of environment variables. */
  readonly settings: readonly string[]
}

export interface Release extends Surface {
  readonly version: string
}

/** The file of each part, in the folder of a release. */
export const surfaceFiles = {
  openapi: 'openapi.json',
  errors: 'errors.json',
  deprecations: 'deprecations.json',
  settings: 'settings.json',
} as const satisfies Record<keyof Surface, string>
