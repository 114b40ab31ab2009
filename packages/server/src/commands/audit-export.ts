import { open } from 'node:fs/promises'
import { auditKeyring, verifyExport } from '../access/audit/audit.ts'
import type { Config } from '../config.ts'
import { present } from '../values/present.ts'

/** Reads a file line by line. It is opened with the first line asked for: a line reader that waits loses what it has read. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  await using file = await open(path)
  yield* file.readLines()
}

/** Verifies an NDJSON export against the master keys, without a database; exits with 1 when the chain is broken. */
export async function verifyAuditExport(config: Pick<Config, 'masterKeys'>, [path, headsPath]: readonly string[]) {
  const heads = headsPath === undefined ? undefined : linesOf(headsPath)
  const result = await verifyExport(linesOf(present(path)), auditKeyring(config.masterKeys()), heads)
  console.log(JSON.stringify(result, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)))
  if (!result.valid) process.exitCode = 1
  if (result.first_bad?.reason === 'truncated' || result.first_bad?.reason === 'head_mismatch')
    console.error(
      'The chain is not the one whose heads were logged. A rewound chain looks like this, and so does a database that was restored to an earlier moment without `record-restore`.',
    )
}
