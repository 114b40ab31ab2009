import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type * as privateServices from '../../scripts/private-services.ts'
import { makeCheckout, removeCheckout, root } from '../support/checkout.ts'
import { blocksOf } from '../support/guide-blocks.ts'
import { otherCommands } from '../support/guide-register.ts'
import { makeTellingCurl, type WalkedInstallation, walk } from '../support/guide-walk.ts'
import { eventually } from '../support/programs.ts'
import { useReceiver } from '../support/receiver.ts'

/** What readers are told to paste is pasted, as it stands, into a checkout that nobody has set up. */
const receiver = useReceiver()
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

/** The same without the end of the month, which is when it is. */
const undated = (text: string) => text.replace(/\(until [^)]*\)/, '')

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

/** What `pnpm dev` says of the installation that it runs in the checkout, and what its operator's shell would have. */
async function runningInstallation(): Promise<WalkedInstallation> {
  const state = JSON.parse(readFileSync(join(checkout, '.weir/dev.json'), 'utf8')) as Record<string, string>
  const services = (await import(
    pathToFileURL(join(checkout, 'packages/server/scripts/private-services.ts')).href
  )) as typeof privateServices
  return {
    checkout,
    url: state['base_url']!,
    gatewayUrl: state['gateway_url']!,
    operatorKey: state['operator_key']!,
    environment: {
      SVC_DATABASE_URL: services.databaseUrl('weir_dev', services.appLogin),
      SVC_MIGRATE_DATABASE_URL: services.databaseUrl('weir_dev'),
      SVC_REDIS_URL: services.services().redis.url,
      SVC_MASTER_KEYS: services.masterKeys(),
    },
  }
}

describe('what a reader pastes', { timeout: 240_000 }, () => {
  test('from the README leads to the first refused call, and why', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const [, section] = /^## Quickstart\n([\s\S]*?)^## /m.exec(readme)!
    const answers = paste(section!)
    expect(statuses(answers)).toEqual([201, 200, 200, 402, 200])
    const [, , second, stopped, explanation] = answers as [Answer, ...Answer[]]
    expect(second!.body['usage']).toMatchObject({ completion_tokens: 950 })
    expect(stopped!.body.error).toMatchObject({ code: 'budget_exceeded', type: 'billing_error' })
    const [, shown] = /("message":"Weir: [^…]*) …/.exec(section!)!
    expect(undated(JSON.stringify(stopped!.body.error))).toContain(undated(shown!))
    expect(explanation!.body).toMatchObject({
      decision: 'deny',
      error_code: 'budget_exceeded',
      limits: expect.arrayContaining([
        expect.objectContaining({ limit: '0.025', attempted: '0.0106025', fits: false }),
      ]),
    })
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
  describe('from every other page', () => {
    let installation: WalkedInstallation
    beforeAll(async () => {
      spawnSync('pnpm', ['dev', '--detach', '--port', '0'], { cwd: checkout })
      installation = await runningInstallation()
      makeTellingCurl(join(checkout, '.weir/walk'))
    })

    test('works, and is refused only where the page says so', async () => {
      const given = {
        SLACK_URL: `${receiver.url}/slack`,
        TEAMS_URL: `${receiver.url}/teams`,
        PAGERDUTY_URL: `${receiver.url}/pagerduty`,
        ROUTING_KEY: 'e93facc04764012d7bfb002500d5d1a6',
        EVENTS_URL: `${receiver.url}/events`,
      }
      const pages = Object.values(otherCommands)
      const faults: string[] = []
      const walkers = Array.from({ length: 3 }, async () => {
        for (let blocks = pages.pop(); blocks; blocks = pages.pop())
          faults.push(...(await walk(installation, blocks, given)))
      })
      await Promise.all(walkers)
      expect(faults).toEqual([])
      await eventually(() => ['/slack', '/teams', '/events'].every((path) => receiver.at(path).length === 1))
    })

    test('is found out where it does not work', async () => {
      const page = (...blocks: string[]) =>
        blocksOf('docs/planted.md', blocks.map((code) => `\`\`\`${code}\n\`\`\`\n`).join('\n'))
      const found = (...blocks: string[]) => walk(installation, page(...blocks))
      const me = 'curl -s "$WEIR/v1/me" -H "authorization: Bearer $KEY"'
      expect(await found(`sh\n${me}`)).toEqual([])
      expect(await found('sh\ncurl -s "$WEIR/v1/me"')).toEqual([
        expect.stringMatching(/^docs\/planted\.md:1: 401 to GET /),
      ])
      expect(await found('sh refused=401\ncurl -s "$WEIR/v1/me"')).toEqual([])
      expect(await found(`sh refused=401\n${me}`)).toEqual(['docs/planted.md:1: nothing was refused with 401'])
      expect(await found(`sh\n${me}`, 'sh\necho "$BUDGET"')).toEqual([
        expect.stringMatching(/^docs\/planted\.md:5: failed: .*BUDGET: unbound variable$/s),
      ])
      expect(await found('sh\nnode packages/server/src/nothing.ts')).toEqual([expect.stringContaining('failed')])
    })
  })
})
