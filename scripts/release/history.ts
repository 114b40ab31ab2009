import type { LedgerEntry } from './ledger.ts'
import type { Release } from './surface.ts'

/**
 * The frozen releases bear witness to the ledger: without them, a notice could be given by writing it into the past, or
 * shortened by listing releases that never were.
 */
export function historyFaults(ledger: readonly LedgerEntry[], releases: readonly Release[]): string[] {
  const unlisted = releases.filter(({ version }) => !ledger.some((entry) => entry.version === version))
  return [
    ...unlisted.map(({ version }) => `releases/${version} is not in releases.json`),
    ...ledger.flatMap(({ version, configuration }, position) => {
      const frozen = releases.find((release) => release.version === version)
      if (!frozen)
        return position === ledger.length - 1
          ? []
          : [`releases/${version} is missing: only the newest release may be yet to come`]
      const announced = new Set(frozen.deprecations.map((entry) => entry.kind === 'setting' && entry.variable))
      return [
        ...configuration.deprecated
          .filter(({ variable }) => !announced.has(variable))
          .map(({ variable }) => `${version} did not announce ${variable}; releases.json says it did`),
        ...configuration.removed
          .filter((variable) => frozen.settings.includes(variable))
          .map((variable) => `${version} still had ${variable}; releases.json says it was removed`),
      ]
    }),
  ]
}
