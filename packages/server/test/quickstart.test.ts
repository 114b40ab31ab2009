import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCheckout, removeCheckout, root } from './checkout.ts'

/** What newcomers are told to paste is pasted, as it stands, into a checkout that nobody has set up. */
let checkout: string
beforeAll(() => {
  checkout = makeCheckout()
})
afterAll(() => removeCheckout(checkout))

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
    // The only thing that differs from a newcomer's shell: any free port will do.
    env: { ...process.env, WEIR_PORT: '0' },
  })
  const answers = Array.from(stdout.matchAll(/^(\{.*\})? \((\d{3})\)$/gm), ([, body = '{}', status]) => ({
    status: Number(status),
    body: JSON.parse(body) as Answer['body'],
  }))
  expect(answers, stderr + stdout).not.toEqual([])
  return answers
}

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

/** A refusal of $0.015 while $0.045 of $0.05 are held, and the explanation that says the same. */
function expectExplained({ body: { error } }: Answer, { body: explanation }: Answer) {
  expect(error).toMatchObject({
    code: 'budget_exceeded',
    details: { limit_usd: '0.05', spent_usd: '0', held_usd: '0.045', attempted_usd: '0.015' },
  })
  expect(explanation).toMatchObject({
    decision_id: error!.details['decision_id'],
    decision: 'deny',
    decided_by: error!.details['budget_id'],
    limits: [{ limit: '0.05', held: '0.045', attempted: '0.015', fits: false }],
  })
}

describe('what a newcomer pastes', { timeout: 240_000 }, () => {
  test('from the README leads to the first refused overspend, why, and room again', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const [, section] = /^## Quickstart\n([\s\S]*?)^## /m.exec(readme)!
    const answers = paste(section!)
    expect(statuses(answers)).toEqual([201, 200, 200, 200, 402, 200, 200, 200])
    const [, first, , third, refused, explanation, released, again] = answers as [Answer, ...Answer[]]
    expectExplained(refused!, explanation!)
    expect(third!.body).toMatchObject({ decision: 'allow', remaining_usd: '0.005' })
    expect(released!.body).toMatchObject({ reservation_id: first!.body['reservation_id'], state: 'released' })
    expect(again!.body).toMatchObject({ decision: 'allow', remaining_usd: '0.005' })
  })

  test('from the longer page afterwards works as well, and its last line ends everything', () => {
    const answers = paste(readFileSync(join(root, 'docs/quickstart.md'), 'utf8'))
    expect(statuses(answers)).toEqual([200, 201, 200, 200, 200, 402, 200, 200, 200, 200, 200, 200, 201])
    const [, , , , , refused, explanation, , call, retry, journal, audit] = answers as [Answer, ...Answer[]]
    expectExplained(refused!, explanation!)
    expect(retry!.body).toEqual(call!.body)
    expect(journal!.body['data']).toMatchObject([
      { kind: 'hold', reservation_id: call!.body['reservation_id'] },
      { kind: 'release' },
      { kind: 'hold' },
      { kind: 'hold' },
      { kind: 'hold' },
    ])
    expect(JSON.stringify(audit!.body)).toContain('budget.created')
    expect(spawnSync('scripts/services', ['status'], { cwd: checkout }).status).toBe(3)
  })
})
