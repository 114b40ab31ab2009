import { describe, expect, test } from 'vitest'
import { requireId } from '../../src/values/id.ts'
import { type Organization, totalsOf, useAssistants } from '../support/assistant-organizations.ts'
import { books, fresh, type Report, recorded } from '../support/assistant-reports.ts'
import { call } from '../support/tenants.ts'

/** What waits of one organization, or is broken, is no other's loss; and nobody can defer what is reported for long. */

const room = 40
const { server, asOwner, organization, reporterOf, send, round, wait, outwait, runsOf, spentOf, withSpendCap } =
  useAssistants({ SVC_WAITING_TELEMETRY_PER_ORG: String(room) })

const codexSession = '01a1f146-9348-7113-ae53-8109af416a19'
const uuidOf = ({ id }: Organization) => requireId('org', id)
const countedIn = async (org: Organization) =>
  totalsOf((await runsOf(org)).filter(({ output_tokens }) => output_tokens !== null))

/** Opens a run as a gateway does: what is reported of its session waits for it. */
async function open({ key }: Organization) {
  const body = { model: 'gpt-5', input_tokens: 10_000, max_output_tokens: 100, chain_id: codexSession, managed: true }
  const { status, json } = await call(server.url, 'POST', '/v1/runs', { key, body })
  expect(status).toBe(201)
  return String(json['id'])
}

/** Reports a call of Codex that has to wait. */
async function withWaitingCall() {
  const org = await organization()
  const run = await open(org)
  await send(org, fresh(recorded.codex, 0))
  expect(await countedIn(org)).toMatchObject({ calls: 0 })
  return { ...org, run }
}

const due = (org: Organization, ago: string) =>
  asOwner(
    `update waiting_calls set due_at = clock_timestamp() - $2::interval, reported_at = clock_timestamp() - interval '6 minutes'
            where org_id = $1`,
    [uuidOf(org), ago],
  )
const waitingOf = async (org: Organization) =>
  asOwner('select failures, due_at > clock_timestamp() as is_later from waiting_calls where org_id = $1', [uuidOf(org)])
const metricsOf = async () => (await fetch(`${server.url}/metrics`)).text()
const waited = async (signal: string, outcome: string) =>
  Number(
    new RegExp(`svc_otlp_waited_total\\{signal="${signal}",outcome="${outcome}"\\} (\\d+)`).exec(
      await metricsOf(),
    )?.[1] ?? 0,
  )

describe('an organization', () => {
  test('with 50,000 waiting calls keeps no other from the next round, nor one whose rows are broken', async () => {
    const [many, one, broken] = [await withWaitingCall(), await withWaitingCall(), await withWaitingCall()]
    await asOwner(
      `insert into waiting_calls (org_id, id, due_at, call)
       select org_id, gen_random_uuid(), due_at, call from waiting_calls, generate_series(1, 50000) where org_id = $1`,
      [uuidOf(many)],
    )
    await asOwner(
      `insert into waiting_calls (org_id, id, due_at, call)
       select $1, gen_random_uuid(), clock_timestamp(), '{"session": "s", "requestId": null}' from generate_series(1, 3)`,
      [uuidOf(broken)],
    )
    await due(many, '1 day')
    await due(broken, '1 hour')
    await due(one, '1 second')
    expect(await round()).toBe(true)
    for (const org of [many, one, broken]) expect(await countedIn(org)).toEqual(books.codex)
    expect(await waitingOf(one)).toEqual([])
    expect(await waitingOf(broken)).toEqual(Array.from({ length: 3 }, () => ({ failures: 1, is_later: true })))
    expect(await waited('logs', 'failed')).toBe(3)

    // What fails for a day is given up, where somebody can see it.
    await asOwner('update waiting_calls set failures = 144 where org_id = $1', [uuidOf(broken)])
    await due(broken, '1 second')
    await asOwner('delete from waiting_calls where org_id = $1', [uuidOf(many)])
    await round()
    expect(await waitingOf(broken)).toEqual([])
    expect(await waited('logs', 'rejected')).toBe(3)
  })

  test('with metrics that no run can be made of loses these alone, which the metrics of the worker say', async () => {
    const org = await organization()
    await send(
      org,
      fresh(recorded.delta).filter(({ path }) => path.endsWith('metrics')),
    )
    const copy = (session: string, call: string, value: string) =>
      asOwner(
        `insert into telemetry_points (org_id, lineage_id, point, session, kind, call, value, started_at, ended_at)
         select org_id, lineage_id, sha256($2), sha256($2), kind, ${call}, ${value}, started_at, ended_at from telemetry_points
          where org_id = $1 and kind = 'input' limit 1`,
        [uuidOf(org), session],
      )
    await copy('more tokens than a run can have', 'call', '900000000000000')
    await copy('no call', `'{}'`, 'value')
    const rejectedBefore = await waited('metrics', 'rejected')
    for (let times = 0; times < 2; times++) await wait()
    const { input, output } = await countedIn(org)
    expect({ input, output }).toEqual({ input: books.claude.input, output: books.claude.output })
    expect(await waited('metrics', 'rejected')).toBe(rejectedBefore + 1)
    expect(await waited('metrics', 'failed')).toBeGreaterThan(0)
    await asOwner('delete from telemetry_points where org_id = $1', [uuidOf(org)])
  })

  test('lets no more wait than it may: calls are counted at once, and metrics rejected, one key’s from half on', async () => {
    const org = await organization()
    const points = (from: number, count: number): Report => ({
      path: '/v1/otlp/v1/metrics',
      body: metricsOfSessions(Array.from({ length: count }, (_, index) => `session ${from + index}`)),
    })
    const [first] = await send(org, [points(0, 30)])
    expect(first).toMatchObject({
      partialSuccess: { rejectedDataPoints: '10', errorMessage: expect.stringContaining('may wait') },
    })
    const second = { reporter: await reporterOf(org) }
    expect(await send(second, [points(0, 20)])).toEqual([{}])
    const third = { reporter: await reporterOf(org) }
    expect(await send(third, [points(0, 1)])).toMatchObject([{ partialSuccess: { rejectedDataPoints: '1' } }])

    const flooded = await organization()
    await open(flooded)
    await asOwner(
      `insert into waiting_calls (org_id, id, due_at, call)
       select $1, gen_random_uuid(), clock_timestamp() + interval '1 day', '{}' from generate_series(1, ${room})`,
      [uuidOf(flooded)],
    )
    expect(await send(flooded, fresh(recorded.codex, 0))).toEqual([{}])
    expect(await countedIn(flooded)).toEqual(books.codex)
    await asOwner('delete from waiting_calls where org_id = $1', [uuidOf(flooded)])
  })
})

describe('a run that stays open', () => {
  test('defers what is reported of its session for minutes, and into no other period', async () => {
    const org = await withSpendCap(await withWaitingCall())
    await wait()
    expect(await countedIn(org)).toMatchObject({ calls: 0 })
    await asOwner(`update waiting_calls set reported_at = reported_at - interval '1 day' where org_id = $1`, [
      uuidOf(org),
    ])
    await outwait()
    expect(await countedIn(org)).toEqual(books.codex)
    expect(await spentOf(org)).toBe('0')
    expect(await daysSpent(org)).toEqual([{ is_earlier: true }])
  })

  test('defers nothing if it was not left to a gateway, whose end its maker could put off', async () => {
    const org = await organization()
    const body = { model: 'gpt-5', input_tokens: 10_000, max_output_tokens: 100, chain_id: codexSession }
    expect((await call(server.url, 'POST', '/v1/runs', { key: org.key, body })).status).toBe(201)
    await send(org, fresh(recorded.codex, 0))
    expect(await countedIn(org)).toEqual(books.codex)
  })

  test('is of no effect on metrics, which count in the period in which they were last reported', async () => {
    const org = await withSpendCap(await organization())
    await send(
      org,
      fresh(recorded.delta).filter(({ path }) => path.endsWith('metrics')),
    )
    await asOwner(`update telemetry_points set touched_at = touched_at - interval '1 day' where org_id = $1`, [
      uuidOf(org),
    ])
    await wait()
    expect(await spentOf(org)).toBe('0')
    expect(await daysSpent(org)).toEqual([{ is_earlier: true }])
  })
})

/** Tells which periods of the spend cap were drawn on: earlier days, or today. */
const daysSpent = (org: Organization) =>
  asOwner(
    `select period_end <= clock_timestamp() as is_earlier from allowances where org_id = $1 and kind = 'spend_cap' and spent > 0`,
    [uuidOf(org)],
  )

type Attribute = { key: string; value: object }

function metricsOfSessions(sessions: readonly string[], more: readonly Attribute[] = []): Report['body'] {
  const at = String(BigInt(Date.now()) * 1_000_000n)
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  const dataPoints = sessions.map((session) => ({
    attributes: [text('session.id', session), text('type', 'input'), text('model', 'claude-opus-4-8'), ...more],
    startTimeUnixNano: at,
    timeUnixNano: at,
    asInt: '100',
  }))
  const sum = { dataPoints, aggregationTemporality: 1, isMonotonic: true }
  const metrics = [{ name: 'claude_code.token.usage', sum }]
  return { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }
}

describe('attributes of a data point', () => {
  const many = (count: number, length = 1) =>
    Array.from({ length: count }, (_, index) => ({ key: `a${index}`, value: { stringValue: 'x'.repeat(length) } }))

  const reject = (reason: string) => ({
    partialSuccess: { rejectedDataPoints: '1', errorMessage: expect.stringContaining(reason) as string },
  })

  test.each([
    ['as many as may be', many(125), {}, 2],
    ['too many', many(126), reject('more than 128 attributes'), 1],
    ['very many', many(20_000), reject('more than 128 attributes'), 1],
    ['too long', many(2, 10_000), reject('attributes are too long'), 1],
  ])('that are %s are answered so, and reject no other point', async (_which, more, expected, count) => {
    const org = await organization()
    const metrics = [['other'], ['s']].flatMap(
      (sessions, index) => metricsOfSessions(sessions, index === 0 ? [] : more).resourceMetrics ?? [],
    )
    const [answer] = await send(org, [{ path: '/v1/otlp/v1/metrics', body: { resourceMetrics: metrics } }])
    expect(answer).toEqual(expected)
    await wait()
    expect(await runsOf(org)).toHaveLength(count)
  })
})
