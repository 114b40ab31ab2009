import { setTimeout as pause } from 'node:timers/promises'
import { causeEvent, subscribe } from '../activities.ts'
import type { Drill } from '../drill.ts'
import type { Installation } from '../installation.ts'

/** Takes the lock of whoever turns events into deliveries. */
const drainNothing = ({ database }: Installation) =>
  database.hold(`select pg_advisory_xact_lock(hashtext('drain events'))`)

export const webhooks: readonly Drill[] = [
  {
    name: 'events are not turned into deliveries',
    alerts: ['WeirWebhookEventsWaiting'],
    async cause(installation) {
      await subscribe(installation, installation.receiverUrl)
      await drainNothing(installation)
      await causeEvent(installation)
    },
    cure: ({ database }) => database.release(),
  },
  {
    name: 'webhooks are late',
    alerts: ['WeirWebhookLag'],
    cause: (installation) => subscribe(installation, installation.receiverUrl),
    async whileWrong(installation) {
      await drainNothing(installation)
      await causeEvent(installation)
      await pause(6_000)
      await installation.database.release()
      await pause(500)
    },
  },
  {
    name: 'the address of a webhook is no longer allowed',
    alerts: ['WeirWebhookForbiddenAddress'],
    async cause(installation) {
      await subscribe(installation, installation.receiverUrl)
      await installation.parts.worker.restart({ environment: { SVC_WEBHOOK_ALLOWED_CIDRS: '192.0.2.0/24' } })
      await causeEvent(installation)
    },
    cure: ({ parts }) => parts.worker.restart(),
  },
  {
    name: 'the endpoint of a webhook is dead',
    alerts: ['WeirWebhookDeadLetters'],
    async cause(installation) {
      await subscribe(installation, `http://127.0.0.1:${installation.closedPort}/`)
      await causeEvent(installation)
    },
  },
]

export const regions: readonly Drill[] = [
  {
    name: 'the move of an organization hangs',
    alerts: ['WeirOrgMoveHangs'],
    async cause({ database, openOrg }) {
      const { orgUuid } = await openOrg('On its way')
      // Where there is one cell only, no move may begin: its record is planted past the triggers.
      await database.run(`set session_replication_role = replica;
        insert into org_moves (moved_org, move_id, attempt, direction, cell, state, epoch, frozen_at)
        values ('${orgUuid}', gen_random_uuid(), 1, 'out', 'c2', 'frozen', 1, clock_timestamp())`)
    },
    cure: ({ database }) => database.run('set session_replication_role = replica; delete from org_moves'),
  },
]
