import { kindChoice } from '../limit-parts/limit-parts.ts'
import { limitsPath } from './limit-tabs.ts'

/** Path of the pages of limits on runs at once. */
export const concurrencyPath = `${limitsPath}/concurrency`

/** Kinds of what a limit on runs at once can cover. */
export const concurrencyKinds = [
  'org',
  'department',
  'workflow',
  'deployment',
  'customer',
  'user',
  'key',
  'provider',
  'model',
  'tag',
].map(kindChoice)

/** Kinds that can have a default. */
export const defaultConcurrencyKinds = ['department', 'workflow', 'deployment', 'customer', 'user', 'key'] as const
