import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { type BenchPostgres, hasCompiler, openSlowNetwork } from '../support/postgres.ts'
import { alternate, described, type Round, rateOf, ratioOf } from '../support/report.ts'
import { ask, type Bench, type BenchOrg, type Server, startApi, startBare } from '../support/server.ts'

const many = 200
const lengths = (smoke: boolean) => (smoke ? { rounds: 1, seconds: 1 } : { rounds: 5, seconds: 4 })

async function withServers<T>(
  { postgres }: Bench,
  options: Parameters<typeof startApi>[1],
  work: (api: Server, bare: Server) => Promise<T>,
) {
  const servers = await Promise.all([startApi(postgres, options), startBare()])
  try {
    return await work(...servers)
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** One organization that everybody asks about, against the framework with no decision at all. */
export const benchHot = (bench: Bench) =>
  withServers(bench, {}, async (api, bare) => {
    const { postgres, orgs, smoke } = bench
    const { rounds, seconds } = lengths(smoke)
    const hot = orgs.slice(0, 1)
    await ask(api, postgres, { orgs: hot, connections: many, seconds, isWarmUp: true })
    await ask(bare, postgres, { orgs: hot, connections: many, seconds })
    for (const connections of smoke ? [many] : [1, 50, many]) {
      const by = await alternate(connections === many ? rounds * 2 - 1 : rounds, {
        weir: () => ask(api, postgres, { orgs: hot, connections, seconds }),
        bare: () => ask(bare, postgres, { orgs: hot, connections, seconds }),
      })
      const ratio = ratioOf(by.weir, by.bare, { smoke, ...(connections === many && { bar: 0.55 }) })
      console.log(
        `one hot organization, ${connections} connections: ${described(by.weir)}; bare framework ${described(by.bare)}; ${ratio}`,
      )
    }
  })

/** The same number of callers, each on behalf of many organizations. */
export const benchSpread = (bench: Bench) =>
  withServers(bench, {}, async (api) => {
    const { postgres, orgs, smoke } = bench
    const { rounds, seconds } = lengths(smoke)
    // Every organization once: what is set for it has been read, and its rows are made.
    await ask(api, postgres, { orgs, connections: many, seconds: seconds * 2, isWarmUp: true })
    const by = await alternate(rounds, {
      spread: () => ask(api, postgres, { orgs, connections: many, seconds }),
      hot: () => ask(api, postgres, { orgs: orgs.slice(0, 1), connections: many, seconds }),
    })
    console.log(
      `spread over ${orgs.length} organizations, ${many} connections: ${described(by.spread)}; one hot ${rateOf(by.hot)}; ${ratioOf(by.spread, by.hot, { smoke })}`,
    )
  })

/** PostgreSQL itself, writing the same rows in one transaction per decision. */
export const benchTransactions = (bench: Bench) =>
  withServers(bench, {}, (api) => againstTransactions(bench, api, 'against one transaction per decision', 8))

async function againstTransactions({ postgres, orgs, smoke }: Bench, api: Server, title: string, bar: number) {
  const { rounds, seconds } = lengths(smoke)
  const [hot, other] = [orgs.slice(0, 1), orgs.slice(1, 2)]
  // The other organization's rows are made as decisions make them.
  for (const each of [other, hot])
    await ask(api, postgres, { orgs: each, connections: many, seconds: 1, isWarmUp: true })
  const script = await writeScript(postgres, other[0]!)
  const by = await alternate(rounds, {
    weir: () => ask(api, postgres, { orgs: hot, connections: many, seconds }),
    transactions: () => pgbench(postgres, script, smoke ? 20 : many, seconds * 2),
  })
  console.log(
    `${title}, ${many} connections: ${described(by.weir)}; pgbench ${rateOf(by.transactions)}; ${ratioOf(by.weir, by.transactions, { bar, smoke })}`,
  )
}

/** A slow disk, and a network between the program and its database. */
export async function benchSlow(bench: Bench) {
  const { postgres, orgs, smoke } = bench
  if (!hasCompiler()) return console.log('slow disk and network: skipped, there is no compiler (gcc)')
  const { rounds, seconds } = lengths(smoke)
  const hot = orgs.slice(0, 1)
  const compare = async (title: string, api: Server, bare: Server) => {
    await ask(api, postgres, { orgs: hot, connections: many, seconds, isWarmUp: true })
    const by = await alternate(rounds, {
      weir: () => ask(api, postgres, { orgs: hot, connections: many, seconds }),
      bare: () => ask(bare, postgres, { orgs: hot, connections: many, seconds }),
    })
    console.log(
      `${title}, ${many} connections: ${described(by.weir)}; bare framework ${rateOf(by.bare)}; ${ratioOf(by.weir, by.bare, { smoke })}`,
    )
  }
  await postgres.start({ fsyncMicros: 1_000 })
  await withServers(bench, {}, async (api, bare) => {
    if (!smoke) await compare('each sync 1 ms longer', api, bare)
    await againstTransactions(bench, api, 'each sync 1 ms longer, against one transaction per decision', 12)
  })
  const network = await openSlowNetwork(postgres, 500)
  try {
    await withServers(bench, { databasePort: network.port }, (api, bare) =>
      compare('each sync 1 ms and each round trip 0.5 ms longer', api, bare),
    )
  } finally {
    await network.close()
    await postgres.start()
  }
}

/** What a decision writes, as statements with the values of one that was made; what decides nothing is left out. */
export async function writeScript(postgres: BenchPostgres, { id }: BenchOrg) {
  const client = new pg.Client({ connectionString: postgres.url() })
  await client.connect()
  const { rows } = await client.query<Record<string, string>>(
    `select keys::text, amounts::text, draws::text, inputs::jsonb::text as inputs, amount_nano::text
       from holds where org_id = $1 limit 1`,
    [id],
  )
  await client.end()
  // A colon before a letter would be a variable of pgbench.
  const value = (name: string) => `'${rows[0]![name]!.replaceAll(/:(?=\w)/g, '\\u003a').replaceAll("'", "''")}'`
  const nothing = `'{}'`
  const newId = `(overlay(gen_random_uuid()::text placing overlay(lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') placing '-' from 9 for 0) from 1 for 13))::uuid`
  const statements = [
    'begin',
    `select org_id, seq, config_version from org_ledgers where org_id = '${id}' for no key update`,
    `update allowances set held = held + ${rows[0]!['amount_nano']!} where org_id = '${id}' and key = any(${value('keys')}::uuid[])`,
    `update org_ledgers set seq = seq + 1 where org_id = '${id}'`,
    `insert into holds (org_id, id, state, on_expiry, held_at, expires_at, seq, amount_nano, keys, amounts, draws, inputs)
     values ('${id}', ${newId}, 'open', 'release', clock_timestamp(), clock_timestamp() + interval '10 minutes', 1, ${rows[0]!['amount_nano']!},
       ${['keys', 'amounts', 'draws', 'inputs'].map(value).join(', ')})`,
    `insert into ledger_batches (org_id, seq, at, keys, spent_after, held_after, prev_seq, decide_version, kinds, hold_ids, key_places, key_ends,
       changes_by_key, d_spent, d_held, d_overrun, d_late, made_by_keys, made_by_grants, actors)
     select '${id}', seq, clock_timestamp(), ${value('keys')}, ${value('amounts')}, ${value('amounts')}, ${value('amounts')}, 1, array['hold'],
       array[gen_random_uuid()], ${nothing}, array[cardinality(${value('keys')}::uuid[])], false, ${nothing}, ${value('amounts')}, ${nothing}, ${nothing},
       ${nothing}, ${nothing}, ${nothing} from org_ledgers where org_id = '${id}'`,
    'commit',
  ]
  const path = join(postgres.folder, 'decision.sql')
  writeFileSync(path, statements.map((statement) => `${statement.replaceAll('\n', ' ')};\n`).join(''))
  return path
}

/** As the owner, whom row security does not slow down. */
async function pgbench(postgres: BenchPostgres, script: string, clients: number, seconds: number): Promise<Round> {
  const url = new URL(postgres.url())
  const words = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '2', '-T', String(seconds), '-f', script]
  const child = spawn(
    join(postgres.bin, 'pgbench'),
    [...words, '-h', url.hostname, '-p', url.port, '-U', url.username, 'postgres'],
    {
      env: { PATH: process.env['PATH'], PGPASSWORD: url.password },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const tps = /tps = ([\d.]+)/.exec(output)
  if (child.exitCode !== 0 || !tps) throw new Error(`pgbench failed: ${errors}${output}`)
  return { rate: Number(tps[1]) }
}
