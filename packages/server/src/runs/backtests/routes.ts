import { Readable } from 'node:stream'
import { readWindow, type TimeWindow } from '../../contract/lists.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import { draftRules, type RuleSet } from '../../governance/policies/policies.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Cache } from '../../platform/nodes/nodes.ts'
import { dayMs } from '../../values/time.ts'
import { clockSkewMs } from '../run-history/run-history.ts'
import { backtest } from './backtests.ts'
import type { TestSubject } from './judge.ts'
import { Progress } from './progress.ts'
import { backtestFailure, CallerDisconnected, progressLines, RunningTests } from './running-tests.ts'
import { BacktestAnswer, BacktestInput, type BacktestView } from './schema.ts'

const maxDays = 90
const defaultDays = 30
const lines = 'application/x-ndjson'

export function backtests(app: App, platform: Platform, rules: Pick<Cache<RuleSet>, 'get'>) {
  const running = new RunningTests()
  app.addHook('preClose', (done) => {
    running.stopAll()
    done()
  })

  app.post(
    '/v1/orgs/:id/policies/backtest',
    {
      config: {
        role: 'member',
        scope: 'policies:read',
        urgency: 'export',
        expensive: true,
        ignoresIdempotencyKey: true,
      },
      schema: {
        operationId: 'backtestPolicies',
        tags: ['policies'],
        summary: 'Back-test rules or a limit against real runs',
        description:
          'Reports which runs of a window of at most 90 days, by default the last 30, would have been refused by the live rules, a draft of rules or a draft of a limit, and how much that would have saved. Nothing is changed. One back-test runs at a time per organization, and few per process; closing the connection cancels it. With `Accept: application/x-ndjson` the response is a stream of lines with progress.',
        params: OrgPath,
        body: BacktestInput,
        response: { 200: BacktestAnswer },
      },
    },
    async (request, reply) => {
      const { orgId } = request.caller
      const window = windowOf(request.body, platform.clock.now())
      const tested = await subjectOf(request.body, orgId, rules)
      const place = running.acquire(orgId)
      const progress = new Progress()
      const result = backtest(platform, orgId, { window, tested }, progress, place.signal).finally(place.release)
      // Also closes when the request has timed out; and a caller that left while rules were loaded is already gone.
      reply.raw.once('close', place.stop)
      if (reply.raw.closed) place.stop()
      if (request.headers.accept?.includes(lines) !== true) return result.catch(ignoreDisconnect)
      reply.type(lines)
      return Readable.from(progressLines(result, progress, backtestFailure(platform.log, request.id)))
    },
  )
}

/** Returns the window: from the given start until now, or by default the last 30 days. */
function windowOf(asked: { from?: string; to?: string }, now: Date): TimeWindow {
  const nowMs = now.getTime()
  const latest = nowMs + clockSkewMs
  const longest = asked.from === undefined ? latest : Date.parse(asked.from) + maxDays * dayMs
  const endMs =
    asked.to !== undefined ? Date.parse(asked.to) : longest < nowMs - clockSkewMs ? latest : Math.min(latest, longest)
  return readWindow(asked, { from: new Date(endMs - defaultDays * dayMs), to: new Date(endMs) })
}

async function subjectOf(
  { limit, rules }: BacktestInput,
  orgId: string,
  live: Pick<Cache<RuleSet>, 'get'>,
): Promise<TestSubject> {
  if (limit) return { kind: 'limit', limit }
  const set = await live.get(orgId)
  return rules ? { kind: 'rules', ...(await draftRules(rules, set)) } : { kind: 'live', set }
}

/** Swallows the error of a caller that has left: there is nobody to send a response to. */
function ignoreDisconnect(error: unknown): BacktestView {
  if (error instanceof CallerDisconnected) return undefined as unknown as BacktestView
  throw error
}
