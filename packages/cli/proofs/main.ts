import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
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
import { call } from '../../server/test/support/tenants.ts'
import { proveImport } from './litellm-import/proof.ts'

/**
 * `pnpm prove:import`: imports a LiteLLM of 10,000 keys, 500 teams and 1,000,000 calls while the import is killed, and again; ends with 1 where
 * a sum is not that of the source.
 */
const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '10000' },
    teams: { type: 'string', default: '500' },
    logs: { type: 'string', default: '1000000' },
    kills: { type: 'string', default: '5' },
  },
})
const program = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))
const name = randomBytes(4).toString('hex')
const [weir, litellm] = [`weir_import_${name}`, `litellm_import_${name}`]
servicesUp()
await setDiskWaits(false)
for (const database of [weir, litellm]) await createDatabase(database, { fresh: true })
const environment = environmentFor({ ownerUrl: databaseUrl(weir), appUrl: databaseUrl(weir, appLogin) })
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
try {
  const url = String((await api.line(({ message }) => message === 'serving')).url).replace('localhost', '127.0.0.1')
  await database.connect()
  const { json } = await call(url, 'POST', '/v1/admin/orgs', { key: operator, body: { name: 'Import' } })
  const { id, owner_key } = json as unknown as { id: string; owner_key: { id: string; secret: string } }
  const env = { WEIR_BASE_URL: url, WEIR_API_KEY: owner_key.secret }
  const target = { url, orgId: id, ownerKey: owner_key.secret, ownerKeyId: owner_key.id, database, env }
  const size = { keys: Number(values.keys), teams: Number(values.teams), logs: Number(values.logs) }
  const { faults, ...figures } = await proveImport(target, databaseUrl(litellm), size, Number(values.kills))
  for (const fault of faults.slice(0, 20)) console.error(fault)
  console.log(`import: ${JSON.stringify({ ...size, ...figures, faults: faults.length })}`)
  console.log(run('verify').trim().split('\n').at(-1))
  if (faults.length > 0) process.exitCode = 1
} finally {
  for (const { process: child } of [api, worker]) child.kill('SIGKILL')
  await Promise.all([api.exit, worker.exit])
  await database.end()
  for (const one of [weir, litellm]) await dropDatabase(one)
}
