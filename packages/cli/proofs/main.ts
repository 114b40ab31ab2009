import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { beginProof, recordOption } from '../../../scripts/proof/record.ts'
import {
  appLogin,
  createDatabase,
  databaseUrl,
  dropDatabase,
  servicesUp,
  setDiskWaits,
} from '../../server/scripts/private-services.ts'
import { environmentFor } from '../../server/test/support/harness.ts'
import { programEnvironment, startProgram } from '../../server/test/support/programs.ts'
import { firstSeed, Random } from '../../server/test/support/random.ts'
import { call } from '../../server/test/support/tenants.ts'
import { proveImport } from './litellm-import/proof.ts'

/**
 * `pnpm prove:import`: imports a LiteLLM of 10,000 keys, 500 teams and 1,000,000 calls while the import is killed at random moments, and again; ends with
 * 1 where a sum is not that of the source, or where it takes too long. `--smoke` is the same with little. Its databases are gone afterwards.
 */
const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    keys: { type: 'string' },
    teams: { type: 'string' },
    logs: { type: 'string' },
    kills: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(firstSeed()) },
    source: { type: 'string', default: 'database' },
    minutes: { type: 'string', default: '120' },
    ...recordOption,
  },
})
const usual = values.smoke ? { keys: 60, teams: 8, logs: 2_000 } : { keys: 10_000, teams: 500, logs: 1_000_000 }
const size = {
  keys: Number(values.keys ?? usual.keys),
  teams: Number(values.teams ?? usual.teams),
  logs: Number(values.logs ?? usual.logs),
}
const program = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))
const name = randomBytes(4).toString('hex')
const [weir, litellm] = [`weir_import_${name}`, `litellm_import_${name}`]
servicesUp()
const finish = beginProof('import', values.record)
await setDiskWaits(false)
for (const database of [weir, litellm]) await createDatabase(database, { fresh: true })
const environment = environmentFor(
  { ownerUrl: databaseUrl(weir), appUrl: databaseUrl(weir, appLogin) },
  {
    // Every second key has a budget of its own.
    SVC_BUDGETS_PER_ORG: '20000',
    // The proof reads the whole of usage by ten thousand keys, which is not what an organization's share of reads is for.
    SVC_EXPENSIVE_READ_MS_PER_SECOND: '10000',
  },
)
const run = (...args: string[]) =>
  execFileSync(process.execPath, [program, ...args], {
    env: { ...programEnvironment, ...environment },
    encoding: 'utf8',
  })
run('migrate')
const { key: operator } = JSON.parse(run('create-operator-key', 'proof')) as { key: string }
const api = startProgram('api', [process.execPath, program, 'api'], environment)
const worker = startProgram('worker', [process.execPath, program, 'worker'], environment)
const database = new pg.Client({ connectionString: databaseUrl(weir) })
const { promise: stopped, reject: stop } = Promise.withResolvers<never>()
const late = setTimeout(
  () => stop(new Error(`the proof took more than ${values.minutes} minutes`)),
  Number(values.minutes) * 60_000,
)
process.once('SIGINT', () => stop(new Error('interrupted'))).once('SIGTERM', () => stop(new Error('interrupted')))
try {
  const url = String((await api.line(({ message }) => message === 'serving')).url).replace('localhost', '127.0.0.1')
  await database.connect()
  const { json } = await call(url, 'POST', '/v1/admin/orgs', { key: operator, body: { name: 'Import' } })
  const { id, owner_key } = json as unknown as { id: string; owner_key: { id: string; secret: string } }
  const env = { WEIR_BASE_URL: url, WEIR_API_KEY: owner_key.secret }
  const target = { url, orgId: id, ownerKey: owner_key.secret, ownerKeyId: owner_key.id, database, env }
  const chance = new Random(Number(values.seed))
  const proof = proveImport(target, databaseUrl(litellm), size, {
    source: values.source === 'api' ? 'api' : 'database',
    kills: Number(values.kills),
    random: () => chance.next(),
    say: (text) => console.error(text),
  })
  const { faults, ...figures } = await Promise.race([proof, stopped])
  for (const fault of faults.slice(0, 20)) console.error(fault)
  console.log(`import: ${JSON.stringify({ ...size, seed: Number(values.seed), ...figures, faults: faults.length })}`)
  finish({
    tried: size.logs,
    of: 'calls of a LiteLLM imported while the import is killed',
    broken: faults.length,
    figures: {
      seed: Number(values.seed),
      source: values.source,
      keys: size.keys,
      teams: size.teams,
      kills: Number(values.kills),
    },
  })
  console.log(run('verify').trim().split('\n').at(-1))
  if (faults.length > 0) process.exitCode = 1
} finally {
  clearTimeout(late)
  for (const { process: child } of [api, worker]) child.kill('SIGKILL')
  await Promise.all([api.exit, worker.exit])
  await database.end()
  for (const one of [weir, litellm]) await dropDatabase(one)
}
