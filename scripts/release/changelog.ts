import type { Deprecation } from '../../packages/server/src/contract/deprecations/registry.ts'
import { surfaceOf } from './announcements.ts'
import type { LedgerEntry } from './ledger.ts'

interface Section {
  /** `Unreleased` or a version. */
  readonly name: string
  readonly date: string | undefined
  /** Text by heading, such as `Deprecated`. */
  readonly parts: Readonly<Record<string, string>>
}

/** Every deprecation is recorded when it is announced, and again when the thing is removed. */
export function changelogFaults(
  text: string,
  registry: readonly Deprecation[],
  ledger: readonly LedgerEntry[],
): string[] {
  const sections = readChangelog(text)
  const deprecated = sections.map((section) => section.parts['Deprecated'] ?? '').join('\n')
  return [
    ...registry
      .map(surfaceOf)
      .filter((surface) => !names(deprecated, surface))
      .map((surface) => `CHANGELOG.md names ${surface} under no Deprecated heading`),
    ...ledger.flatMap((entry) => releaseFaults(sections, entry)),
  ]
}

function releaseFaults(sections: readonly Section[], { version, date, configuration }: LedgerEntry): string[] {
  const section = sections.find(({ name }) => name === version)
  if (!section) return [`CHANGELOG.md has no section for ${version}`]
  const unnamed = (heading: string, variables: readonly string[]) =>
    variables
      .filter((variable) => !names(section.parts[heading] ?? '', variable))
      .map((variable) => `CHANGELOG.md does not name ${variable} under ${heading} of ${version}`)
  return [
    ...(section.date === date
      ? []
      : [`CHANGELOG.md dates ${version} ${section.date ?? 'not at all'}, releases.json ${date}`]),
    ...unnamed(
      'Deprecated',
      configuration.deprecated.map(({ variable }) => variable),
    ),
    ...unnamed('Removed', configuration.removed),
  ]
}

/** Whole names only: `GET /v1/a/b` does not name `GET /v1/a`. */
function names(text: string, surface: string): boolean {
  const literally = surface.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?<![\\w/-])${literally}(?![\\w/{}-])`).test(text)
}

function readChangelog(text: string): Section[] {
  return splitAt(text, /^## /m).map((section) => {
    const [, name = '', date] = /^\[?([^\]\s]+)\]?(?: - (\S+))?/.exec(section) ?? []
    const parts = splitAt(section, /^### /m).map((part) => {
      const [heading = '', ...lines] = part.split('\n')
      return [heading.trim(), lines.join('\n')]
    })
    return { name, date, parts: Object.fromEntries(parts) as Record<string, string> }
  })
}

const splitAt = (text: string, heading: RegExp) => text.split(heading).slice(1)
