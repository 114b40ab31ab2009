import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { knownMigrations } from '../../src/platform/infra/schema.ts'
import { lastOf, present } from '../../src/values/present.ts'
import { removeCheckout, root } from '../support/checkout.ts'
import { checkOutCommit, commitBefore } from '../support/earlier-version.ts'
import { environmentFor, useDatabase } from '../support/harness.ts'
import { startInstallation } from '../support/installation.ts'
import { startApi, startRole } from '../support/processes.ts'
import { call } from '../support/tenants.ts'

const script = fileURLToPath(new URL('../../scripts/previous-tests.ts', import.meta.url))

test('the version before this one keeps its promises about money on the schema of this one', () => {
  // The long form runs all of its tests: `node packages/server/scripts/previous-tests.ts`.
  const files = ['packages/server/test/money/ledger-guarantees.test.ts']
  // It puts a trigger on what was a table.
  const without = ['--without', 'what was not committed is not acknowledged']
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...without, ...files], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(status, stdout + stderr).toBe(0)
  expect(stdout).toMatch(/Tests .*\d+ passed/)
})

const database = useDatabase()
const previous = checkOutCommit(present(commitBefore(lastOf(knownMigrations()))))
afterAll(() => removeCheckout(previous.checkout))

test('both versions keep one journal side by side, and each finds what the other has written', async () => {
  const { apis, orgId, owner, environment } = await startInstallation(database, 1)
  const urls = [apis[0]!.url, (await startApi(environment, previous.program)).url]
  const ask = async (url: string, method: string, path: string, body?: object) => {
    const answer = await call(url, method, path, { key: owner, ...(body && { body }) })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer.json
  }
  const limit = { name: 'all', scope_kind: 'org', limit_usd: '100', period: 'year' }
  const budget = await ask(urls[0]!, 'POST', `/v1/orgs/${orgId}/budgets`, limit)
  const verified = async () => {
    for (const program of [undefined, previous.program])
      expect(await startRole('verify', environmentFor(database), program).exit).toBe(0)
  }

  const start = (url: string) => ask(url, 'POST', '/v1/runs', { model: 'gpt-4o', estimated_cost_usd: '1' })
  const finish = (url: string, id: unknown) =>
    ask(url, 'POST', `/v1/runs/${String(id)}/finish`, { status: 'succeeded', cost_usd: '0.5' })
  const adjustment = { limit_id: budget['id'], amount_usd: '0.25', reason: 'A bill from elsewhere' }
  for (const [i, url] of urls.entries()) {
    const other = urls[1 - i]!
    const started = await Promise.all(Array.from({ length: 8 }, () => start(url)))
    // Each ends what the other has begun.
    await Promise.all(started.slice(1).map(({ id }) => finish(other, id)))
    await ask(url, 'POST', `/v1/orgs/${orgId}/ledger/adjustments`, adjustment)
    await verified()
  }
  const journalOf = async (url: string) => {
    const entries: unknown[] = []
    let cursor: unknown = ''
    while (typeof cursor === 'string') {
      const more: string = cursor === '' ? '' : `&cursor=${cursor}`
      const page = await ask(url, 'GET', `/v1/orgs/${orgId}/ledger?limit=3${more}`)
      entries.push(...(page['data'] as unknown[]))
      cursor = page['next_cursor']
    }
    return entries
  }
  const journals = await Promise.all(urls.map(journalOf))
  expect(journals[0]).toHaveLength(2 * (8 + 7 + 1))
  expect(journals[1]).toEqual(journals[0])
  expect(await ask(urls[1]!, 'GET', `/v1/orgs/${orgId}/budgets/${String(budget['id'])}`)).toMatchObject({
    spent_usd: '7.5',
    held_usd: '2',
  })
})
