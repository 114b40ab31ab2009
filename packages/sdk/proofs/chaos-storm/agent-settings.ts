/** Settings of one agent of the storm. */
export interface AgentSettings {
  readonly weirUrl: string
  readonly apiKey: string
  readonly providerUrl: string
  readonly folder: string
  readonly maxEntries: number
  readonly calls: number
  readonly atOnce: number
  readonly seed: number
  readonly leaseSeconds: number
  /** A fault that is planted, and must be found. */
  readonly bug?: Bug
}

/** Faults of an SDK: it forgets what it has kept, or takes every call for free. */
export const bugs = ['forgetful', 'gullible'] as const
export type Bug = (typeof bugs)[number]

/** The largest output of a call, and the input that is reserved for it. */
export const bounds = { input: 400, output: 60 }
