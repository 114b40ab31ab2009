import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Type } from 'typebox'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { deprecations } from '../../src/contract/deprecations/registry.ts'
import { ApiError } from '../../src/contract/errors.ts'
import type { App } from '../../src/contract/routes.ts'
import { Usd } from '../../src/contract/wire.ts'
import { settleOperation } from '../../src/decisions/decisions.ts'
import { type Lanes, type Operation, type OperationPlan, outcomeOf } from '../../src/decisions/lanes/lanes.ts'
import { createLifecycle } from '../../src/platform/infra/lifecycle.ts'
import { createLog } from '../../src/platform/infra/log.ts'
import { openPlatform, type Platform } from '../../src/platform/infra/platform.ts'
import { formatId, newUuid, requireId } from '../../src/values/id.ts'
import { formatUsd, parseUsd } from '../../src/values/money.ts'
import { ingestBugs, type Plant, rewriteStatement } from '../ingest-storm/bugs.ts'

/**
 * The API as a process of its own, with a route that settles a hold, so that a storm has whole lives of calls. Started with a fault
 * of its own (`WEIR_STORM_BUG`), it shows whether the checks of the storm can see such faults.
 */

const bug = process.env['WEIR_STORM_BUG'] ?? ''

const SettleInput = Type.Object({
  reservation_id: Type.String({ maxLength: 40 }),
  cost_usd: Usd,
  tokens: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
})

function settlements(app: App, _platform: Platform, lanes: Lanes) {
  app.post(
    '/v1/storm/settle',
    {
      config: {
        role: 'service',
        scope: 'edge:decide',
        urgency: 'decision',
        storesOwnResponses: true,
        errors: ['conflict', 'service_unavailable'],
      },
      schema: { operationId: 'settleInStorm', summary: 'Settle a reservation', body: SettleInput },
    },
    async (request) => {
      const { reservation_id, cost_usd, tokens } = request.body
      const holdId = requireId('reservation', reservation_id)
      const actual = { usd: parseUsd(cost_usd), tokens: BigInt(tokens) }
      const settled = lanes.submit(settleOperation(request.principal!, holdId, actual))
      const ended = settled.then(outcomeOf)
      const outcome = await (bug === 'hopeful-answer' ? ended.catch(() => hoped(holdId, actual.usd)) : ended)
      if (outcome.type === 'conflict') throw new ApiError('conflict')
      if (outcome.type !== 'ended') throw new ApiError('not_found')
      const { hold, isRepeat, isLate } = outcome
      return {
        reservation_id: formatId('reservation', hold.id),
        state: hold.state,
        charged_usd: formatUsd(hold.chargedNano!),
        overrun_usd: formatUsd(hold.overrunNano!),
        is_repeat: isRepeat,
        is_late: isLate,
      }
    },
  )
}

/** Acknowledges a settlement of which it is not known whether it was stored. */
const hoped = (id: string, usd: bigint) =>
  ({
    type: 'ended',
    hold: { id, state: 'settled', chargedNano: usd, overrunNano: 0n },
    isRepeat: false,
    isLate: false,
  }) as const

const replaceSubmit = (
  lanes: Lanes,
  submit: (task: Operation, original: Lanes['submit']) => ReturnType<Lanes['submit']>,
) => {
  const original = lanes.submit
  Object.assign(lanes, { submit: (task: Operation) => submit(task, original) })
}

const bugs: Record<string, Plant> = {
  ...ingestBugs,
  /** Now and then a call is held twice. */
  'double-hold': (lanes) => {
    let count = 0
    replaceSubmit(lanes, (task, submit) => {
      if (task.makesHold !== undefined && !task.idempotency && ++count % 10 === 0) {
        const id = newUuid()
        const copy = {
          ...task,
          makesHold: id,
          plan: (context) => {
            const plan = task.plan(context)
            return { ...plan, command: { ...plan.command, id } as never }
          },
        } satisfies Operation
        submit(copy).catch(() => undefined)
      }
      return submit(task)
    })
  },
  /** Takes the end of a run from whoever spoke of it last, whatever that asked. */
  'last-ending': (lanes) => {
    const endings = new Map<string | undefined, OperationPlan['ending']>()
    replaceSubmit(lanes, (task, submit) => {
      if (task.holdId === undefined) return submit(task)
      const shared: Operation = {
        ...task,
        plan: (context) => {
          const plan = task.plan(context)
          endings.set(task.holdId, plan.ending)
          return {
            ...plan,
            get ending() {
              return endings.get(task.holdId)
            },
          }
        },
      }
      return submit(shared).finally(() => endings.delete(task.holdId))
    })
  },
  /** Decides as if nothing were held by anybody. */
  'blind-to-holds': () => rewriteStatement('counters', (text) => text.replaceAll(' held,', ' 0::bigint as held,')),
  /** Decides without the organization's lock. */
  'no-lock': () => rewriteStatement('lock', (text) => text.replace('for no key update', '')),
  /** Counts past the journal. */
  drift: (lanes, { sql }) => {
    let count = 0
    replaceSubmit(lanes, async (task, submit) => {
      const result = await submit(task)
      if (++count % 100 === 0)
        await sql
          .asOrgs([task.orgId], (tx) =>
            tx
              .updateTable('allowances')
              .set((e) => ({ spent: e('spent', '+', 1n as never) }))
              .execute(),
          )
          .catch(() => undefined)
      return result
    })
  },
}

const { config } = readConfig(process.env)
const log = createLog({ level: config.logLevel, role: 'api' })
for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (error) => {
    log.fatal({ error }, 'the program cannot go on')
    process.exit(1)
  })
}
const platform = await openPlatform(config, 'api', log)
const { app, introduce } = await buildApp(platform, createLifecycle(log), deprecations, [
  settlements,
  (_app, _platform, lanes) => {
    for (const name of bug.split(' ')) bugs[name]?.(lanes, platform)
  },
])
await introduce()
app.server.listen({ host: config.host, port: 0, backlog: 4_096 })
await once(app.server, 'listening')
const { port } = app.server.address() as AddressInfo
platform.addresses.setPort(port)
process.stdout.write(`${JSON.stringify({ message: 'serving', port })}\n`)
