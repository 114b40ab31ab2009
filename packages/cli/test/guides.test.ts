import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { createDatabase, databaseUrl, dropDatabase } from '../../server/scripts/private-services.ts'
import { eventually, programEnvironment } from '../../server/test/support/programs.ts'
import { call, tenantOf } from '../../server/test/support/tenants.ts'
import { startLitellmApi } from '../proofs/litellm-import/litellm-api.ts'
import { clientKey, fillLitellm, tightKey } from '../proofs/litellm-import/litellm-database.ts'
import { useDesk } from './support/weir.ts'

/** The guides of the command line, followed word by word. */
const desk = useDesk()
const guide = (name: string) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8')
const blocks = (text: string) => [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)

beforeAll(() => {
  mkdirSync(join(desk.folder, 'bin'))
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const path = desk.write('bin/weir', `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
  chmodSync(path, 0o755)
})

async function follow(text: string, name: string) {
  const tenant = await tenantOf(desk.server, desk.operatorKey, name)
  const folder = join(desk.folder, name)
  mkdirSync(folder)
  const env = {
    ...programEnvironment,
    PATH: `${join(desk.folder, 'bin')}:${programEnvironment.PATH}`,
    HOME: folder,
    WEIR: desk.server.url,
    ORG: tenant.id,
    KEY: tenant.key,
  }
  const follow = async (program: string, more: Record<string, string> = {}) =>
    (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', program], { env: { ...env, ...more }, cwd: folder }))
      .stdout
  return { tenant, follow, program: blocks(text).join('\n') }
}

test('the guide to the command line does what it says', async () => {
  const { tenant, follow: run, program } = await follow(guide('cli'), 'cli')
  const ask = (path: string, body: unknown, method = 'POST') =>
    call(desk.server.url, method, path, { key: tenant.key, body })
  await ask(`/v1/orgs/${tenant.id}/spend-cap`, { cap_usd: '0.01' }, 'PUT')
  await ask('/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '1', workflow_id: 'chat' })
  const refusals = () => call(desk.server.url, 'GET', `/v1/orgs/${tenant.id}/refusals`, { key: tenant.key })
  await eventually(async () => ((await refusals()).json['data'] as unknown[]).length > 0)
  const printed = await run(program)
  for (const shown of [
    'Signed in at',
    'spend_cap',
    'spend_cap_exceeded',
    'house-1',
    'is revoked',
    'All agree',
    'Whole:',
    '0 problems',
  ])
    expect(printed).toContain(shown)
})

test('the guide to configuration as code does what it says, and shows what is printed', async () => {
  const text = guide('configuration-as-code')
  const { tenant, follow: run, program } = await follow(text, 'code')
  const printed = await run(program, { WEIR_BASE_URL: desk.server.url, WEIR_API_KEY: tenant.key })
  const [plan = '', drift = ''] = [...text.matchAll(/```text\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  for (const part of [...plan.split('…\n'), drift]) expect(printed).toContain(part)
  expect(printed).toContain('Plan: 0 to make, 0 to change, 0 to remove,')
  expect(printed).toContain('- rule Frontier models are for research')
  expect(printed).toContain('"secret":"weir_')
})

test('the guide to moving from LiteLLM does what it says', async () => {
  const { follow: run, program, tenant } = await follow(guide('moving-from-litellm'), 'moving')
  const database = `litellm_guide_${randomBytes(6).toString('hex')}`
  await createDatabase(database, { fresh: true })
  try {
    await fillLitellm(databaseUrl(database), { keys: 20, teams: 4, logs: 100 })
    const env = { WEIR_BASE_URL: desk.server.url, WEIR_API_KEY: tenant.key, LITELLM: databaseUrl(database) }
    const api = await startLitellmApi(databaseUrl(database), 'sk-master')
    const address = { MASTER: 'sk-master', LITELLM_URL: api.url }
    const printed = await run(program, {
      ...env,
      ...address,
      OLD: clientKey(tightKey),
      HOOKED: new Date().toISOString(),
    })
    for (const shown of [
      'Nothing was changed',
      'Keys: 20 registered',
      '0 refused;',
      'x-svc-foreign-key-ends',
      'agent 1',
      'active',
    ])
      expect(printed).toContain(shown)
    // Both ways of reading say the same.
    expect(printed.match(/^Log: .*$/gm)).toHaveLength(2)
    expect(new Set(printed.match(/^(Keys: \d+ to|Limits: \d+ budgets).*$/gm)).size).toBe(2)
    await api.close()
  } finally {
    await dropDatabase(database)
  }
})
