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

/** Examples that are parts of a program: those without a name of their own. */
const parts = [...guide.matchAll(/```(?:js|ts)\n(?!\/\/ )([\s\S]*?)```/g)].map(([, code = '']) => code)

/** A program around a part: what the guide says that the reader has. */
function programAround(part: string): string {
  const lines = part.split('\n')
  const imports = lines.filter((line) => line.startsWith('import '))
  const rest = lines.filter((line) => !line.startsWith('import ')).join('\n')
  return `
import { createHmac } from 'node:crypto'
import OpenAI from 'openai'
import { Weir, WeirError, allowUpTo } from '@weir/sdk'
${imports.join('\n')}
const org = process.env.ORG
const call = { model: 'gpt-4o', input_tokens: 20, max_output_tokens: 500 }
const messages = [{ role: 'user', content: 'Tell me about weirs.' }]
const openai = new OpenAI({ maxRetries: 0 })
const callModel = () => openai.chat.completions.create({ model: 'gpt-4o', max_tokens: 500, messages })
const show = (event) => console.log('event', event.object)
const rawBody = '{"type":"budget.exceeded"}'
const time = Math.floor(Date.now() / 1000)
const signature = createHmac('sha256', process.env.WEIR_WEBHOOK_SECRET).update(time + '.' + rawBody).digest('hex')
const request = { headers: { 'x-svc-signature': 't=' + time + ',v1=' + signature } }
${rest.includes('const weir =') ? '' : 'const weir = new Weir()'}
{
${rest}
${rest.includes('const weir =') ? 'await weir.run(call, callModel).then(() => console.log("ran"))' : ''}
${rest.includes('const event =') ? 'console.log(event.type)' : ''}
}
process.exit(0)
`
}

test('every part of a program in the guide runs', async () => {
  const refusedKey = await budgetedKey(site, 'parts', '0.0001')
  const printed: string[] = []
  for (const part of parts) {
    const program = programAround(part).replace('/var/lib/agent/weir', join(folder, 'spool'))
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        ORG: site.orgId,
        WEIR_API_KEY: part.includes("'budget_exceeded'")
          ? refusedKey
          : part.includes('/keys')
            ? site.ownerKey
            : site.agentKey,
        WEIR_BASE_URL: site.weir.url,
        WEIR_WEBHOOK_SECRET: 'whsec_of_a_test',
        OPENAI_API_KEY: 'sk-practice',
        OPENAI_BASE_URL: `${site.provider.url}/v1`,
      },
    })
    printed.push(stdout.trim().split('\n').at(-1)!)
  }
  expect(printed).toEqual([
    'event chat.completion.chunk',
    expect.stringMatching(/^0\.0001 until 2/),
    'ran',
    'ran',
    expect.anything(),
    'budget.exceeded',
  ])
})

test('the agent of the guide throws why it was refused', async () => {
  const key = await budgetedKey(site, 'support-bot', '0.0001')
  await expect(run(key)).rejects.toMatchObject({ stderr: expect.stringContaining('budget_exceeded') as string })
})
