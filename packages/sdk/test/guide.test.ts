import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { budgetedKey, endedRuns, useSite } from './support/site.ts'

/** The whole agent of the guide, run as it stands there. */
const guide = readFileSync(new URL('../../../docs/sdk-typescript.md', import.meta.url), 'utf8')
const [, agent = ''] = /```js\n\/\/ agent\n([\s\S]*?)```/.exec(guide)!
const site = useSite()
const own = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(own, '.agent-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (key: string) =>
  promisify(execFile)(process.execPath, ['--input-type=module', '--eval', agent], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      WEIR_API_KEY: key,
      WEIR_BASE_URL: site.weir.url,
      OPENAI_API_KEY: 'sk-practice',
      OPENAI_BASE_URL: `${site.provider.url}/v1`,
    },
  })

test('the agent of the guide has at most 12 lines, prints its answer, and is settled at what it used', async () => {
  expect(agent.trim().split('\n').length).toBeLessThanOrEqual(12)
  expect((await run(site.agentKey)).stdout).toMatch(/^the quick brown fox/)
  const { input, output } = (await site.provider.books()).at(-1)!
  expect(await endedRuns(site, 'support-bot')).toMatchObject([{ input_tokens: input, output_tokens: output }])
})

test('the agent of the guide throws why it was refused', async () => {
  const key = await budgetedKey(site, 'support-bot', '0.0001')
  await expect(run(key)).rejects.toMatchObject({ stderr: expect.stringContaining('budget_exceeded') as string })
})
