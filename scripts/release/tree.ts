import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentedSettings } from '../../packages/server/src/config.ts'
import { type Deprecation, deprecations } from '../../packages/server/src/contract/deprecations/registry.ts'
import { catalog, errorCodes } from '../../packages/server/src/contract/errors.ts'
import type { Document, Schema } from './document.ts'
import type { LedgerEntry } from './ledger.ts'
import type { CurrentSetting } from './settings.ts'
import { type PublishedError, type Release, type Surface, surfaceFiles } from './surface.ts'
import { compareVersions, isVersion } from './version.ts'
import { readWrittenVersions, type WrittenVersion } from './written-versions.ts'

/** All that the release checks compare. */
export interface Tree {
  /** Undefined until it is generated. */
  readonly openapi: Document | undefined
  readonly errors: readonly PublishedError[]
  readonly deprecations: readonly Deprecation[]
  readonly settings: readonly CurrentSetting[]
  readonly ledger: readonly LedgerEntry[]
  readonly changelog: string
  readonly written: readonly WrittenVersion[]
  /** Oldest first. */
  readonly releases: readonly Release[]
}

/** Reads the working tree: the files under `root`, and the catalog, registry and settings from the program itself. */
export function readTree(root: string): Tree {
  const openapi = join(root, 'openapi.json')
  return {
    openapi: existsSync(openapi) ? (readJson(openapi) as Document) : undefined,
    errors: errorCodes.map((code) => {
      const { statuses, details } = catalog[code]
      return { code, statuses, details: JSON.parse(JSON.stringify(details)) as Schema }
    }),
    deprecations,
    settings: documentedSettings,
    ledger: readJson(join(root, 'releases.json')) as LedgerEntry[],
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    written: readWrittenVersions(root),
    releases: readReleases(join(root, 'releases')),
  }
}

function readReleases(folder: string): Release[] {
  const versions = existsSync(folder) ? readdirSync(folder) : []
  const strange = versions.find((version) => !isVersion(version))
  if (strange !== undefined) throw new Error(`releases/${strange} is not named by a version`)
  return versions.sort(compareVersions).map((version) => {
    const parts = Object.entries(surfaceFiles).map(([part, file]) => [part, readJson(join(folder, version, file))])
    return { version, ...(Object.fromEntries(parts) as Surface) }
  })
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new Error(`${path} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
