import type pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { auditKeyring, recordAll, verifyAudit } from '../../src/access/audit/audit.ts'
import { newUuid } from '../../src/values/id.ts'
import { keyring, recordOf, useAuditLog } from '../support/audit.ts'
import { useDatabase } from '../support/harness.ts'

/** Everything that a superuser could do to the record, undone after each try. */

const database = useDatabase()
const log = useAuditLog(database)
const size = 60
let orgId: string
beforeAll(async () => {
  orgId = await log.fill(size)
})

/** A small generator, so that a failing try can be repeated. */
function seeded(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const run = (text: string, values: unknown[] = []) => database.owner.query(text, values)

/** In two steps, as two entries may not have one number and time even for a moment. */
async function renumber(which: string, to: string, ...seqs: number[]) {
  const typed = (text: string) => text.replaceAll(/\$[23]/g, '$&::bigint')
  await run(`update audit_log set seq = -(${typed(to)}) where org_id = $1 and ${typed(which)}`, [orgId, ...seqs])
  await run('update audit_log set seq = -seq where org_id = $1 and seq < 0', [orgId])
}

async function tampered(work: (owner: pg.Client) => Promise<void>) {
  await run('create temp table kept_log as select * from audit_log where org_id = $1', [orgId])
  await run('create temp table kept_heads as select * from audit_heads where org_id = $1', [orgId])
  try {
    await work(database.owner)
    return await verifyAudit(log.sql, keyring, orgId)
  } finally {
    await run('delete from audit_log where org_id = $1 or org_id in (select org_id from kept_log)', [orgId])
    await run('delete from audit_heads where org_id = $1', [orgId])
    await run('insert into audit_log select * from kept_log')
    await run('insert into audit_heads select * from kept_heads')
    await run('drop table kept_log')
    await run('drop table kept_heads')
  }
}

/** One way to change each column into something else that the table accepts. */
const changes: Record<string, string> = {
  org_id: 'org_id = gen_random_uuid()',
  id: 'id = gen_random_uuid()',
  at: "at = at + interval '1 microsecond'",
  actor: "actor = jsonb_set(actor, '{role}', '\"owner\"')",
  action: "action = action || '.'",
  target: "target = jsonb_set(target, '{id}', '\"another\"')",
  outcome: "outcome = case outcome when 'allowed' then 'denied' else 'allowed' end",
  before: `before = case when before is null then '{"forged": true}'::jsonb else null end`,
  after: `after = jsonb_set(after, '{name}', '"forged"')`,
  address: "address = coalesce(address, '') || '1'",
  trace_id: "trace_id = reverse(trace_id) || 'f'",
  count: 'count = count + 1',
  reason: "reason = case when reason is null then 'forged' else null end",
  mac: 'mac = set_byte(mac, 7, (get_byte(mac, 7) + 1) % 256)',
  mac_key_id: "mac_key_id = 'other'",
}

test('every column can be tampered with by this test', async () => {
  const { rows } = await run(
    "select attname from pg_attribute where attrelid = 'audit_log'::regclass and attnum > 0 and not attisdropped",
  )
  expect([...Object.keys(changes), 'seq'].sort()).toEqual(rows.map(({ attname }) => attname as string).sort())
})

/** Each answers the first entry that is then bad. */
const attacks: Record<string, (next: (below: number) => number) => Promise<number>> = {
  changed: async (next) => {
    const seq = 1 + next(size)
    const change = Object.values(changes)[next(Object.keys(changes).length)]!
    await run(`update audit_log set ${change} where org_id = $1 and seq = $2`, [orgId, seq])
    return seq
  },
  removed: async (next) => {
    const seq = 1 + next(size)
    await run('delete from audit_log where org_id = $1 and seq = $2', [orgId, seq])
    return seq
  },
  'removed, and the rest moved up': async (next) => {
    const seq = 1 + next(size - 1)
    await run('delete from audit_log where org_id = $1 and seq = $2', [orgId, seq])
    await renumber('seq > $2', 'seq - 1', seq)
    await run('update audit_heads set seq = seq - 1 where org_id = $1', [orgId])
    return seq
  },
  swapped: async (next) => {
    const seq = 1 + next(size - 1)
    const other = seq + 1 + next(size - seq)
    await renumber('seq in ($2, $3)', '$2 + $3 - seq', seq, other)
    return seq
  },
  'swapped in content': async (next) => {
    const seq = 1 + next(size - 1)
    await run(
      `update audit_log a set id = b.id, actor = b.actor, action = b.action, target = b.target, before = b.before, after = b.after
         from audit_log b where a.org_id = $1 and b.org_id = $1 and a.seq + b.seq = $2 and a.seq in ($3, $4)`,
      [orgId, 2 * seq + 1, seq, seq + 1],
    )
    return seq
  },
  'inserted under a number that is taken': async (next) => {
    const seq = 1 + next(size)
    await run(
      `insert into audit_log select org_id, seq, gen_random_uuid(), at + make_interval(secs => $3::float8 / 1e6), actor, 'forged', target,
              outcome, before, after, address, trace_id, count, mac, mac_key_id from audit_log where org_id = $1 and seq = $2`,
      [orgId, seq, next(2) === 0 ? -5 : 5],
    )
    return seq
  },
  'inserted, and the rest moved down': async (next) => {
    const seq = 1 + next(size)
    await renumber('seq >= $2', 'seq + 1', seq)
    await run(
      `insert into audit_log select org_id, seq - 1, gen_random_uuid(), at, actor, 'forged', target, outcome, before, after, address,
              trace_id, count, mac, mac_key_id from audit_log where org_id = $1 and seq = $2::bigint + 1`,
      [orgId, seq],
    )
    await run('update audit_heads set seq = seq + 1 where org_id = $1', [orgId])
    return seq
  },
  'appended after the end': async () => {
    await run(
      `insert into audit_log select org_id, seq + 1, gen_random_uuid(), at, actor, 'forged', target, outcome, before, after,
              address, trace_id, count, mac, mac_key_id from audit_log where org_id = $1 and seq = $2`,
      [orgId, size],
    )
    await run('update audit_heads set seq = seq + 1 where org_id = $1', [orgId])
    return size + 1
  },
  'tail cut off': async (next) => {
    const seq = 1 + next(size)
    await run('delete from audit_log where org_id = $1 and seq >= $2', [orgId, seq])
    return seq
  },
  'head set back': async (next) => {
    const seq = 1 + next(size - 1)
    await run(
      'update audit_heads h set seq = l.seq, mac = l.mac from audit_log l where h.org_id = $1 and l.org_id = $1 and l.seq = $2',
      [orgId, seq],
    )
    return size
  },
  'head rewritten': async (next) => {
    await run('update audit_heads set mac = set_byte(mac, $2, (get_byte(mac, $2) + 1) % 256) where org_id = $1', [
      orgId,
      next(32),
    ])
    return size
  },
  'head removed': async () => {
    await run('delete from audit_heads where org_id = $1', [orgId])
    return size
  },
}

test.each(Object.entries(changes))('a changed %s is detected', async (_column, change) => {
  const answer = await tampered(async () => {
    await run(`update audit_log set ${change} where org_id = $1 and seq = 30`, [orgId])
  })
  expect(answer).toMatchObject({ valid: false, entries: 29, first_bad: { seq: '30' } })
})

describe('100 random edits by a superuser', () => {
  const names = Object.keys(attacks)
  test.each(Array.from({ length: 100 }, (_, i) => [i, names[i % names.length]!] as const))(
    'edit %i (%s) is detected, and the first bad entry named',
    async (i, name) => {
      let expected = 0
      const answer = await tampered(async () => {
        expected = await attacks[name]!(seeded(i * 7_919 + 1))
      })
      expect(answer.valid).toBe(false)
      expect(answer.first_bad).toMatchObject({ seq: String(expected) })
    },
  )

  test('and what was restored is sound again', async () => {
    expect(await verifyAudit(log.sql, keyring, orgId)).toMatchObject({ valid: true, entries: size })
  })
})

test('entries that were rewritten with another key are not believed', async () => {
  const forged = auditKeyring([{ id: 'test', bytes: Buffer.alloc(32, 8) }])
  const other = newUuid()
  await log.sql.asOrgs([other], (tx) => recordAll(tx, forged, other, [recordOf(1), recordOf(2)]))
  expect(await verifyAudit(log.sql, keyring, other)).toMatchObject({
    valid: false,
    first_bad: { seq: '1', reason: 'bad_seal' },
  })
})
