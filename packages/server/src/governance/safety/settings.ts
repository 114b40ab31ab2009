import { detectors } from './detectors.ts'

export const modes = ['off', 'alert', 'block'] as const
export type Mode = (typeof modes)[number]

export interface DetectorSettings {
  readonly mode: Mode
  readonly threshold: number
}

/** A regular expression that the organization has added. */
export interface OwnPattern {
  readonly name: string
  readonly pattern: string
  readonly mode: Mode
  readonly threshold: number
}

/** The complete settings of an organization: every detector is listed. */
export interface SafetySettings {
  readonly detectors: Readonly<Record<string, DetectorSettings>>
  readonly patterns: readonly OwnPattern[]
  readonly allow_list: readonly string[]
}

/** Settings as requested; a detector that is left out is off, a threshold that is left out has its default. */
export interface SafetyDraft {
  readonly detectors?: Readonly<Record<string, { readonly mode: Mode; readonly threshold?: number } | undefined>>
  readonly patterns?: readonly (Omit<OwnPattern, 'threshold'> & { readonly threshold?: number })[]
  readonly allow_list?: readonly string[]
}

/** Fills in defaults. Detectors that this version does not know are dropped. */
export const withDetectorDefaults = (draft: SafetyDraft): SafetySettings => ({
  detectors: Object.fromEntries(
    detectors.map(({ name, defaultThreshold }) => {
      const requested = draft.detectors?.[name]
      return [name, { mode: requested?.mode ?? 'off', threshold: requested?.threshold ?? defaultThreshold }]
    }),
  ),
  patterns: (draft.patterns ?? []).map(({ name, pattern, mode, threshold }) => ({
    name,
    pattern,
    mode,
    threshold: threshold ?? 1,
  })),
  allow_list: draft.allow_list ?? [],
})
