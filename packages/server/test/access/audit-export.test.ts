import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  ensureAuditPartitions,
  exportAudit,
  exportAuditHeadsJob,
  recordAll,
  verifyExport,
} from '../../src/access/audit/audit.ts'
import type { FormatName } from '../../src/access/audit/formats.ts'
import { parseAuditPosition } from '../../src/access/audit/position.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import type { Platform } from '../../src/platform/infra/platform.ts'
import { formatId, newUuid } from '../../src/values/id.ts'
import { awkward, keyring, recordOf, useAuditLog } from '../support/audit.ts'
import { csvRows } from '../support/csv.ts'
import { useDatabase } from '../support/harness.ts'

const database = useDatabase()
const log = useAuditLog(database)
const size = 730
const always = { from: new Date('2020-01-01'), to: new Date('2100-01-01') }
let orgId: string
beforeAll(async () => {
  orgId = await log.fill(size)
})

async function exported(format: FormatName, after?: string, org = orgId, window = always) {
  let text = ''
  const place = after === undefined ? undefined : parseAuditPosition(after)
  for await (const chunk of exportAudit(log.sql, org, window, format, place)) text += chunk
  return text
}

async function* linesOf(text: string) {
  for (const line of text.split('\n')) yield line
}

type Row = Record<string, unknown>
const inside = (value: unknown, key: string) => (value as Row)[key]

/** Readers that share nothing with the writers, each giving the same few facts about an entry. */
const readers: Record<FormatName, (text: string) => Row[]> = {
  ndjson: (text) =>
    jsonLines(text).map((line) => {
      const { id, seq, actor, action, target, after, address, cursor } = line
      return { id, seq, actor: inside(actor, 'id'), action, target: inside(target, 'id'), after, address, cursor }
    }),
  csv: (text) => {
    const [names, ...rows] = csvRows(text)
    return rows.map((fields) => {
      expect(fields).toHaveLength(names!.length)
      const row = Object.fromEntries(names!.map((name, i) => [name, fields[i]!]))
      return {
        id: row['id'],
        seq: row['seq'],
        actor: row['actor_id'],
        action: row['action'],
        target: row['target_id'],
        after: JSON.parse(row['after']!),
        address: row['address'] || null,
        cursor: row['cursor'],
      }
    })
  },
  cef: (text) =>
    lines(text).map((line) => {
      const { header, extension } = cefEvent(line)
      expect(header.slice(0, 3)).toEqual(['CEF:0', 'Weir', 'Weir'])
      expect(header).toHaveLength(7)
      expect(extension['cs2Label']).toBe('targetId')
      return {
        id: extension['externalId'],
        seq: extension['cn1'],
        actor: extension['suid'],
        action: header[4],
        target: extension['cs2'],
        after: JSON.parse(extension['cs5']!),
        address: extension['src'] ?? extension['c6a2'] ?? null,
        cursor: extension['cs6'],
      }
    }),
  ocsf: (text) =>
    jsonLines(text).map((event) => {
      const at = (...path: string[]) => path.reduce<unknown>(inside, event)
      expect(event).toMatchObject({ class_uid: 6003, category_uid: 6 })
      expect(event['type_uid']).toBe(600_300 + Number(event['activity_id']))
      for (const required of ['time', 'severity_id', 'actor', 'api', 'src_endpoint', 'metadata'])
        expect(event).toHaveProperty(required)
      return {
        id: at('metadata', 'uid'),
        seq: at('unmapped', 'seq'),
        actor: at('actor', 'user', 'uid'),
        action: at('api', 'operation'),
        target: at('resources', '0', 'uid'),
        after: at('unmapped', 'after'),
        address: at('src_endpoint', 'ip') ?? null,
        cursor: at('unmapped', 'cursor'),
      }
    }),
}

const lines = (text: string) => text.split('\n').slice(0, -1)
const jsonLines = (text: string) => lines(text).map((line) => JSON.parse(line) as Row)

function cefEvent(line: string) {
  const header: string[] = []
  let field = ''
  let i = 0
  for (; header.length < 7; i++) {
    if (line[i] === '|') {
      header.push(field)
      field = ''
    } else field += line[i] === '\\' ? line[++i] : line[i]
  }
  const rest = line.slice(i)
  const extension: Record<string, string> = {}
  const starts = [...rest.matchAll(/(?:^| )([A-Za-z0-9]+)=/g)]
  for (const [n, start] of starts.entries()) {
    const value = rest.slice(start.index + start[0].length, starts[n + 1]?.index)
    extension[start[1]!] = value.replaceAll(
      /\\(.)/g,
      (_whole, letter: string) => ({ n: '\n', r: '\r' })[letter] ?? letter,
    )
  }
  return { header, extension }
}

describe.each(['ndjson', 'csv', 'cef', 'ocsf'] as const)('an export as %s', (format) => {
  test('says what was recorded, in order', async () => {
    const rows = readers[format](await exported(format))
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: size }, (_, i) => String(i + 1)))
    for (const [i, row] of rows.entries()) {
      const { actor, action, target, after, address } = recordOf(i)
      expect(row).toMatchObject({ actor: actor.id, action, target: target.id, address })
      expect(row['after']).toEqual(JSON.parse(JSON.stringify(after)))
    }
    expect(rows[0]).toMatchObject({ target: awkward, id: expect.stringMatching(/^aud_[0-9a-z]{26}$/) as string })
  })

  test('goes on after any line without loss or repeat', async () => {
    const whole = await exported(format)
    const rows = readers[format](whole)
    for (const cut of [1, 99, 100, 101, 500, size - 1, size]) {
      const rest = await exported(format, rows[cut - 1]!['cursor'] as string)
      expect(whole.endsWith(rest)).toBe(true)
      const header = format === 'csv' ? whole.slice(0, whole.indexOf('\n') + 1) : ''
      expect(readers[format](header + rest).map(({ seq }) => Number(seq))).toEqual(
        Array.from({ length: size - cut }, (_, i) => cut + 1 + i),
      )
    }
  })
})

test('an export has the entries of its window only, its end left out', async () => {
  await ensureAuditPartitions(log.sql, new Date('2027-01-15'))
  const org = await log.fill(3)
  for (const [seq, day] of [
    [1, '2027-01-01'],
    [2, '2027-01-02'],
    [3, '2027-01-03'],
  ] as const)
    await database.owner.query('update audit_log set at = $3::date where org_id = $1 and seq = $2', [org, seq, day])
  const window = { from: new Date('2027-01-01'), to: new Date('2027-01-03') }
  expect(readers.ndjson(await exported('ndjson', undefined, org, window)).map(({ seq }) => seq)).toEqual(['1', '2'])
})

test('a page shrinks where entries are large, and none is lost', async () => {
  const org = newUuid()
  const large = 'x'.repeat(100_000)
  const records = Array.from({ length: 250 }, (_, i) => recordOf(i, { after: { large } }))
  await log.sql.asOrgs([org], (tx) => recordAll(tx, keyring, org, records))
  const sizes: number[] = []
  for await (const chunk of exportAudit(log.sql, org, always, 'ndjson')) sizes.push(chunk.split('\n').length - 1)
  expect(sizes.reduce((a, b) => a + b)).toBe(250)
  expect(Math.max(...sizes.slice(1))).toBeLessThanOrEqual(20)
})

describe('offline verification', () => {
  test('believes what was exported, whole or from any place', async () => {
    const whole = await exported('ndjson')
    expect(await verifyExport(linesOf(whole), keyring)).toMatchObject({ valid: true, entries: size, first_seq: '1' })
    const { cursor } = jsonLines(whole)[99]!
    const rest = await exported('ndjson', cursor as string)
    expect(await verifyExport(linesOf(rest), keyring)).toMatchObject({
      valid: true,
      entries: size - 100,
      first_seq: '101',
      head: { seq: String(size) },
    })
  })

  const edit = async (change: (rows: Row[]) => Row[]) => {
    const rows = jsonLines(await exported('ndjson'))
    return verifyExport(
      linesOf(
        change(rows)
          .map((row) => JSON.stringify(row))
          .join('\n'),
      ),
      keyring,
    )
  }
  // biome-ignore format: a list of names
  const fields = [
    'id', 'org_id', 'seq', 'created_at', 'actor', 'action', 'target', 'outcome', 'before', 'after', 'address', 'trace_id',
    'count', 'mac', 'mac_key_id',
  ]

  test.each(fields.filter((field) => field !== 'seq'))('does not believe a line whose %s was edited', async (field) => {
    const answer = await edit((rows) => rows.with(40, { ...rows[40]!, [field]: 'forged' }))
    expect(answer).toMatchObject({ valid: false, entries: 40, first_bad: { seq: '41' } })
  })

  test('names a line that was removed, repeated, swapped or put first', async () => {
    expect((await edit((rows) => rows.toSpliced(40, 1))).first_bad).toEqual({ seq: '41', reason: 'missing' })
    expect((await edit((rows) => rows.toSpliced(40, 0, rows[39]!))).first_bad).toEqual({
      seq: '40',
      reason: 'repeated',
    })
    expect((await edit((rows) => rows.with(40, rows[41]!).with(41, rows[40]!))).first_bad?.seq).toBe('41')
    expect((await edit((rows) => rows.with(0, { ...rows[0]!, action: 'forged' }))).first_bad?.seq).toBe('1')
    const windowed = await edit((rows) => rows.slice(40).with(0, { ...rows[40]!, action: 'forged' }))
    expect(windowed.first_bad).toEqual({ seq: '41', reason: 'bad_seal' })
  })

  test('refuses what is no export', async () => {
    await expect(verifyExport(linesOf('{"seq":1}'), keyring)).rejects.toThrow('line 1')
    await expect(verifyExport(linesOf('CEF:0|'), keyring)).rejects.toThrow('line 1')
  })
})

describe('exported heads', () => {
  const written: string[] = []
  beforeAll(async () => {
    for (const org of [orgId, '00000000-0000-0000-0000-000000000000'])
      await database.owner.query("insert into orgs (id, name) values ($1, 'x') on conflict do nothing", [org])
    // More organizations than a line holds.
    for (let i = 0; i < 120; i++) {
      const org = await log.fill(1)
      await database.owner.query("insert into orgs (id, name) values ($1, 'x')", [org])
    }
    const destination = { write: (line: string) => void written.push(line) }
    const platform = {
      sql: log.sql,
      log: createLog({ level: 'info', role: 'test' }, destination),
      config: { masterKeys: () => [{ id: 'test', bytes: Buffer.alloc(32, 7) }] },
    } as unknown as Platform
    await exportAuditHeadsJob(platform).run(undefined, undefined)
  })
  const heads = () => linesOf(written.join(''))

  test('are written to the log for every organization with entries', () => {
    const all = written.flatMap((line) => (JSON.parse(line) as { heads: { org: string; seq: string }[] }).heads)
    expect(written.length).toBeGreaterThan(1)
    expect(all).toHaveLength(121)
    expect(all).toContainEqual(expect.objectContaining({ org: formatId('org', orgId), seq: String(size) }))
    expect(written.join('')).not.toContain('redacted')
  })

  test('agree with an honest export', async () => {
    expect(await verifyExport(linesOf(await exported('ndjson')), keyring, heads())).toMatchObject({ valid: true })
  })

  test('show a tail that was cut off together with the head', async () => {
    const cut = lines(await exported('ndjson'))
      .slice(0, 700)
      .join('\n')
    expect(await verifyExport(linesOf(cut), keyring)).toMatchObject({ valid: true })
    expect((await verifyExport(linesOf(cut), keyring, heads())).first_bad).toEqual({ seq: '701', reason: 'truncated' })
    const before = new Date('2020-01-01')
    expect(await verifyExport(linesOf(cut), keyring, heads(), before)).toMatchObject({ valid: true })
  })

  test('show a chain that was made anew', async () => {
    await database.owner.query('delete from audit_log where org_id = $1 and seq >= $2', [orgId, size])
    await database.owner.query(
      'update audit_heads h set seq = l.seq, mac = l.mac from audit_log l where h.org_id = $1 and l.org_id = $1 and l.seq = $2',
      [orgId, size - 1],
    )
    await log.sql.asOrgs([orgId], (tx) => recordAll(tx, keyring, orgId, [recordOf(5), recordOf(6)]))
    const whole = await exported('ndjson')
    expect(await verifyExport(linesOf(whole), keyring)).toMatchObject({ valid: true })
    expect((await verifyExport(linesOf(whole), keyring, heads())).first_bad).toEqual({
      seq: String(size),
      reason: 'head_mismatch',
    })
  })

  test('are no evidence where they were forged', async () => {
    const forged = linesOf(written.map((line) => line.replace(/"seq":"1"/, '"seq":"2"')).join(''))
    await expect(verifyExport(linesOf(await exported('ndjson')), keyring, forged)).rejects.toThrow('seal')
  })
})

test('an export holds no more of 20,000 entries than of a few', async () => {
  const org = await log.fill(20_000)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heldBytes = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  let bytes = 0
  let pages = 0
  let start = 0
  let most = 0
  for await (const chunk of exportAudit(log.sql, org, always, 'ndjson')) {
    bytes += chunk.length
    if (++pages === 3) start = heldBytes()
    if (pages % 10 === 0) most = Math.max(most, heldBytes() - start)
  }
  expect(bytes).toBeGreaterThan(14_000_000)
  expect(most).toBeLessThan(4_000_000)
})
