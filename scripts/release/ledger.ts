import { readDate } from './calendar.ts'
import { compareVersions, isVersion } from './version.ts'
import type { WrittenVersion } from './written-versions.ts'

export interface LedgerEntry {
  readonly version: string
  readonly date: string
  readonly configuration: {
    readonly deprecated: readonly {
      readonly variable: string
      readonly announced: string
      readonly replacement: string
    }[]
    readonly removed: readonly string[]
  }
  /** What an operator has to do before or after this release. */
  readonly operator_actions: readonly string[]
}

const minimumNoticeReleases = 2

export const removedSettings = (ledger: readonly LedgerEntry[]) =>
  ledger.flatMap((entry) => entry.configuration.removed)

export const deprecatedSettings = (ledger: readonly LedgerEntry[]) =>
  ledger.flatMap((entry, position) => entry.configuration.deprecated.map((setting) => ({ ...setting, position })))

/** Whether `releases.json` is a ledger at all; the other checks rely on it. */
export function shapeFaults(ledger: unknown): string[] {
  if (!Array.isArray(ledger) || ledger.length === 0) return ['releases.json is no list of releases']
  return ledger.flatMap((entry: unknown, position) =>
    isEntry(entry) ? [] : [`entry ${position + 1} of releases.json lacks a field or has one of a wrong type`],
  )
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isListOf = (value: unknown, test: (one: unknown) => boolean) => Array.isArray(value) && value.every(test)
const fieldsOf = (value: unknown) => Object(value) as Record<string, unknown>

function isEntry(value: unknown): boolean {
  const { version, date, configuration, operator_actions } = fieldsOf(value)
  const { deprecated, removed } = fieldsOf(configuration)
  return (
    isText(version) &&
    isText(date) &&
    isListOf(deprecated, isAnnouncement) &&
    isListOf(removed, isText) &&
    isListOf(operator_actions, isText)
  )
}

function isAnnouncement(value: unknown): boolean {
  const { variable, announced, replacement } = fieldsOf(value)
  return [variable, announced, replacement].every(isText)
}

/** Versions and dates go up, and a variable goes no earlier than two releases after the one that announced it. */
export function sequenceFaults(ledger: readonly LedgerEntry[]): string[] {
  return [...orderFaults(ledger), ...announcementFaults(ledger), ...removalFaults(ledger)]
}

function orderFaults(ledger: readonly LedgerEntry[]): string[] {
  return ledger.flatMap(({ version, date }, position) => {
    if (!isVersion(version)) return [`${version} is no version`]
    if (!readDate(date)) return [`${version}: ${date} is no date`]
    const previous = ledger[position - 1]
    if (!previous) return []
    return [
      ...(compareVersions(version, previous.version) > 0 ? [] : [`${version} does not come after ${previous.version}`]),
      ...(date >= previous.date ? [] : [`${version}: ${date} is before the release of ${previous.version}`]),
    ]
  })
}

function announcementFaults(ledger: readonly LedgerEntry[]): string[] {
  const all = deprecatedSettings(ledger)
  return all.flatMap(({ variable, announced, position }) => {
    const { version, date, operator_actions } = ledger[position]!
    return [
      ...(operator_actions.some((action) => action.includes(variable))
        ? []
        : [`${version}: no operator action says what to do about ${variable}`]),
      ...(readDate(announced) ? [] : [`${version}: ${variable}: ${announced} is no date`]),
      ...(announced <= date ? [] : [`${version}: ${variable} is announced after the release that announces it`]),
      ...(all.some((other) => other.variable === variable && other.position < position)
        ? [`${version}: ${variable} was deprecated before`]
        : []),
    ]
  })
}

function removalFaults(ledger: readonly LedgerEntry[]): string[] {
  const announcements = deprecatedSettings(ledger)
  return ledger.flatMap(({ version, configuration }, position) =>
    configuration.removed.flatMap((variable) => {
      const announced = announcements.find((setting) => setting.variable === variable)
      if (!announced || announced.position > position)
        return [`${version} removes ${variable}, which was never deprecated before`]
      const notice = position - announced.position
      if (notice >= minimumNoticeReleases) return []
      return [
        `${version} removes ${variable} ${notice} release(s) after ${ledger[announced.position]!.version} deprecated it; ${minimumNoticeReleases} are promised`,
      ]
    }),
  )
}

/** Whatever is released together has the version of the newest release, wherever that is written. */
export function versionFaults(ledger: readonly LedgerEntry[], written: readonly WrittenVersion[]): string[] {
  const newest = ledger.at(-1)?.version
  if (written.length === 0) return ['no version of the program is written anywhere']
  return written
    .filter(({ version }) => version !== newest)
    .map(({ path, version }) => `${path} is of ${version}, the newest release of releases.json is ${newest}`)
}
