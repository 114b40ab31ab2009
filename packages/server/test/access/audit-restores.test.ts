import { beforeEach, expect, test } from 'vitest'
import {
  exportAudit,
  exportAuditHeadsJob,
  recordAll,
  recordRestore,
  verifyExport,
} from '../../src/access/audit/audit.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { keyring, recordOf, useAuditLog } from '../support/audit.ts'
import { useDatabase } from '../support/harness.ts'

/** A restore takes entries back, as a thief of evidence would. What is on record explains the one, and never the other. */

const database = useDatabase()
const log = useAuditLog(database)
const heads: string[] = []
let org: string

beforeEach(async () => {
  heads.length = 0
  org = await log.fill(5)
  await database.owner.query(`insert into orgs (id, name) values ($1, 'x')`, [org])
})

const add = (count: number) =>
  log.sql.asOrgs([org], (tx) =>
    recordAll(
      tx,
      keyring,
      org,
      Array.from({ length: count }, (_, i) => recordOf(i)),
    ),
  )

/** Logs the heads of all chains, as the worker does every hour. */
const logHeads = () =>
  exportAuditHeadsJob({
    sql: log.sql,
    log: createLog({ level: 'info', role: 'test' }, { write: (line: string) => void heads.push(line) }),
    config: { masterKeys: () => [{ id: 'test', bytes: Buffer.alloc(32, 7) }] },
  } as unknown as Platform).run(undefined, undefined)

const now = async () =>
  (await database.owner.query<{ at: Date }>(`select clock_timestamp() + interval '1 ms' as at, pg_sleep(0.005)`))
    .rows[0]!.at

/** Takes back all entries but the first, together with the head: what a restore does, and whoever can write everything. */
async function rewindTo(seq: number) {
  await database.owner.query('delete from audit_log where org_id = $1 and seq > $2', [org, seq])
  await database.owner.query(
    'update audit_heads h set seq = l.seq, mac = l.mac from audit_log l where h.org_id = $1 and l.org_id = $1 and l.seq = $2',
    [org, seq],
  )
}

async function* linesOf(text: string) {
  for (const line of text.split('\n')) yield line
}

async function verify() {
  let text = ''
  const always = { from: new Date('2020-01-01'), to: new Date('2100-01-01') }
  for await (const chunk of exportAudit(log.sql, org, always, 'ndjson')) text += chunk
  return verifyExport(linesOf(text), keyring, linesOf(heads.join('')))
}

/** Five entries whose head is logged, a moment, three more whose head is logged, and then back to the moment. */
async function restoreIt() {
  await logHeads()
  const moment = await now()
  await add(3)
  await logHeads()
  await rewindTo(5)
  return moment
}

test('a restore that is not on record is taken for tampering', async () => {
  await restoreIt()
  expect((await verify()).first_bad).toEqual({ seq: '6', reason: 'truncated' })
})

test('entries that take the numbers of those that were lost do not hide them, nor does their own head', async () => {
  await restoreIt()
  await add(3)
  expect((await verify()).first_bad).toEqual({ seq: '8', reason: 'head_mismatch' })
  await logHeads()
  expect((await verify()).first_bad).toEqual({ seq: '8', reason: 'head_mismatch' })
})

test('a restore on record explains the heads that it took back, and says how many', async () => {
  const moment = await restoreIt()
  await recordRestore(log.sql, keyring, moment)
  const lost = { seq: '6', restored_to: moment.toISOString(), lost_heads: 1, lost_up_to_seq: '8' }
  expect(await verify()).toMatchObject({ valid: true, restores: [lost] })
  // Also once the chain has grown past them, with heads of its own.
  await add(4)
  await logHeads()
  expect(await verify()).toMatchObject({ valid: true, entries: 10, restores: [lost] })
})

test('a restore on record explains nothing from before its moment', async () => {
  const moment = await restoreIt()
  await rewindTo(3)
  await add(3)
  await recordRestore(log.sql, keyring, moment)
  expect((await verify()).first_bad).toEqual({ seq: '5', reason: 'head_mismatch' })
})

test('a restore on record explains nothing that is taken back later', async () => {
  const moment = await restoreIt()
  await recordRestore(log.sql, keyring, moment)
  await add(4)
  await logHeads()
  await rewindTo(7)
  expect((await verify()).first_bad).toEqual({ seq: '8', reason: 'truncated' })
})

test('nobody records a restore without the master keys', async () => {
  const moment = await restoreIt()
  const forged = { current: { id: 'test', bytes: Buffer.alloc(32, 8) }, find: () => undefined }
  await recordRestore(log.sql, forged, moment)
  expect((await verify()).first_bad).toEqual({ seq: '6', reason: 'bad_seal' })
})
