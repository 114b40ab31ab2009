import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCheckout, removeCheckout, root } from '../support/checkout.ts'

/** What newcomers are told to paste is pasted, as it stands, into a checkout that nobody has set up. */
let checkout: string
let relayPort: number
beforeAll(async () => {
  checkout = makeCheckout()
  relayPort = await freePort()
})
afterAll(() => removeCheckout(checkout))

async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

interface Answer {
  readonly status: number
  readonly body: {
    readonly decision?: string
    readonly error?: { readonly code: string; readonly details: Readonly<Record<string, string>> }
    readonly [field: string]: unknown
  }
}

/** The answers to a page's commands, in order: all of its bash blocks in one session. */
function paste(markdown: string): Answer[] {
  const blocks = Array.from(markdown.matchAll(/```bash\n([\s\S]*?)```/g), ([, block]) => block!)
  expect(blocks.length).toBeGreaterThan(2)
  const { stdout, stderr } = spawnSync('bash', ['-c', blocks.join('\n')], {
    cwd: checkout,
    encoding: 'utf8',
    // The only thing that differs from a newcomer's shell: any free ports will do.
    env: { ...process.env, WEIR_PORT: '0', RELAY_PORT: String(relayPort) },
  })
  const answers = Array.from(stdout.matchAll(/^(\{.*\})? \((\d{3})\)$/gm), ([, body = '{}', status]) => ({
    status: Number(status),
    body: JSON.parse(body) as Answer['body'],
  }))
  expect(answers, stderr + stdout).not.toEqual([])
  return answers
}

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

/** A refusal of $0.015 while $0.009 of $0.05 is spent and $0.03 held, and the explanation that says the same. */
function expectExplained({ body: { error } }: Answer, { body: explanation }: Answer) {
  expect(error).toMatchObject({
    code: 'budget_exceeded',
    details: { limit_usd: '0.05', spent_usd: '0.009', held_usd: '0.03', attempted_usd: '0.015' },
  })
  expect(explanation).toMatchObject({
    decision_id: error!.details['decision_id'],
    decision: 'deny',
    decided_by: error!.details['budget_id'],
    limits: [{ limit: '0.05', spent: '0.009', held: '0.03', attempted: '0.015', fits: false }],
  })
}

describe('what a newcomer pastes', { timeout: 240_000 }, () => {
  test('from the README leads from a settled run to the first refused overspend, and why', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const [, section] = /^## Quickstart\n([\s\S]*?)^## /m.exec(readme)!
    const answers = paste(section!)
    expect(statuses(answers)).toEqual([201, 200, 200, 402, 201, 201, 200, 201, 201, 402, 200])
    const [, , second, stopped, , , finished, , , refused, explanation] = answers as [Answer, ...Answer[]]
    expect(second!.body['usage']).toMatchObject({ completion_tokens: 950 })
    expect(stopped!.body.error).toMatchObject({ code: 'budget_exceeded', type: 'billing_error' })
    expect(finished!.body).toMatchObject({ status: 'succeeded', reserved_usd: '0.015', cost_usd: '0.009' })
    expectExplained(refused!, explanation!)
  })

  test('from the longer page afterwards works as well, and its last line ends everything', () => {
    const answers = paste(readFileSync(join(root, 'docs/quickstart.md'), 'utf8'))
    expect(statuses(answers)).toEqual([200, 201, 201, 200, 200, 201, 201, 402, 200, 200, 201, 201, 200, 200, 200, 200])
    const [
      ,
      ,
      started,
      finished,
      budgets,
      ,
      ,
      refused,
      explanation,
      unused,
      run,
      retry,
      decision,
      settled,
      journal,
      audit,
    ] = answers as [Answer, ...Answer[]]
    expect(started!.body).toMatchObject({ status: 'running', workflow_id: 'support-bot', reserved_usd: '0.015' })
    expect(finished!.body).toMatchObject({ cost_usd: '0.009', cost_basis: 'computed' })
    expect(budgets!.body['data']).toContainEqual(
      expect.objectContaining({ name: 'Support bot', spent_usd: '0.009', held_usd: '0', remaining_usd: '0.041' }),
    )
    expectExplained(refused!, explanation!)
    expect(unused!.body).toMatchObject({ status: 'cancelled', cost_usd: '0' })
    expect(retry!.body).toEqual(run!.body)
    expect(settled!.body).toMatchObject({ accepted: 1, refused: 0 })
    expect(journal!.body['data']).toMatchObject([
      { kind: 'settle', reservation_id: decision!.body['reservation_id'] },
      { kind: 'hold', reservation_id: decision!.body['reservation_id'] },
      { kind: 'hold' },
      { kind: 'settle' },
      { kind: 'hold' },
    ])
    expect(JSON.stringify(audit!.body)).toContain('budget.created')
    expect(spawnSync('scripts/services', ['status'], { cwd: checkout }).status).toBe(3)
  })

  test('from the page about teams and customers sets limits, alerts, draws and explains', () => {
    const page = readFileSync(join(root, 'docs/team-budgets.md'), 'utf8')
    const answers = paste('```bash\nscripts/run pnpm dev --detach --fresh\n```\n' + page)
    expect(statuses(answers)).toEqual([200, 201, 200, 200, 200, 200, 200, 402, 200, 204])
    const [teams, support, , everybody, bigCorp, , recorded, refused, refusals] = answers as [Answer, ...Answer[]]
    expect(teams.body).toMatchObject({ limit_usd: '500', period: 'month', thresholds: [80] })
    expect(support!.body).toMatchObject({ scope_id: 'support', limit_usd: '800' })
    expect(everybody!.body).toMatchObject({ limit_usd: '20', period: 'day' })
    expect(bigCorp!.body).toMatchObject({ customer_id: 'big-corp', limit_usd: '200' })
    expect(recorded!.body).toMatchObject({ accepted: 27 })
    const kept = (name: string) => readFileSync(join(checkout, '.weir', name), 'utf8')
    const shown = Array.from(page.matchAll(/```text\n([\s\S]*?)```/g), ([, text]) => text!)
    expect(kept('slack.log')).toBe(`{"text":"Weir reaches this channel."}\n${shown.join('')}`)
    expect(statSync(join(checkout, '.weir/subscription')).mode & 0o077).toBe(0)
    expect(kept('last-week.svg')).toMatch(/^<svg [\s\S]*gpt-4o-mini/)
    expect(refused!.body.error).toMatchObject({ code: 'budget_exceeded', details: { scope_kind: 'customer' } })
    expect(refusals!.body['data']).toMatchObject([
      {
        error_code: 'budget_exceeded',
        count: 1,
        department_id: 'search',
        customer_id: 'customer-1',
        explanation: {
          decision_id: refused!.body.error!.details['decision_id'],
          limits: expect.arrayContaining([expect.objectContaining({ limit: '20', spent: '15', attempted: '6' })]),
        },
      },
    ])
  })
})
