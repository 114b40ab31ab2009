import type { Deprecation } from '../../packages/server/src/contract/deprecations/registry.ts'
import { deprecatedSettings, type LedgerEntry, removedSettings } from './ledger.ts'
import type { Release } from './surface.ts'
import { compareVersions } from './version.ts'

export interface CurrentSetting {
  readonly variable: string
  readonly replacedBy?: string | undefined
}

/** Program, registry and ledger tell one story about each variable. */
export function settingFaults(
  ledger: readonly LedgerEntry[],
  settings: readonly CurrentSetting[],
  registry: readonly Deprecation[],
  newest: Release | undefined,
): string[] {
  const removed = removedSettings(ledger)
  return [
    ...disappearanceFaults(ledger, settings, newest),
    ...settings
      .filter(({ variable }) => removed.includes(variable))
      .map(({ variable }) => `${variable} is removed in releases.json and still a setting`),
    ...agreementFaults(ledger, settings, registry),
  ]
}

function disappearanceFaults(
  ledger: readonly LedgerEntry[],
  settings: readonly CurrentSetting[],
  newest: Release | undefined,
) {
  if (!newest) return []
  const removed = removedSettings(ledger.filter((entry) => compareVersions(entry.version, newest.version) > 0))
  return newest.settings
    .filter((variable) => !settings.some((setting) => setting.variable === variable) && !removed.includes(variable))
    .map(
      (variable) =>
        `${variable} was a setting of ${newest.version} and is gone, but no later release of releases.json removes it`,
    )
}

function agreementFaults(
  ledger: readonly LedgerEntry[],
  settings: readonly CurrentSetting[],
  registry: readonly Deprecation[],
): string[] {
  const removed = removedSettings(ledger)
  const announced = deprecatedSettings(ledger)
  const registered = registry.filter((entry) => entry.kind === 'setting')
  const sources = {
    'the settings': settings.filter(({ replacedBy }) => replacedBy !== undefined).map(({ variable }) => variable),
    'releases.json': announced.map(({ variable }) => variable),
    'the deprecation registry': registered.map(({ variable }) => variable),
  }
  const variables = new Set(
    Object.values(sources)
      .flat()
      .filter((variable) => !removed.includes(variable)),
  )
  return [...variables].flatMap((variable) => {
    const silent = Object.entries(sources).flatMap(([source, names]) => (names.includes(variable) ? [] : [source]))
    const dates = new Set(
      [...announced, ...registered]
        .filter((one) => one.variable === variable)
        .map((one) => ('since' in one ? one.since : one.announced)),
    )
    return [
      ...silent.map((source) => `${variable} is deprecated, but ${source} does not say so`),
      ...(dates.size > 1 ? [`${variable} is announced on two dates: ${[...dates].join(' and ')}`] : []),
    ]
  })
}
