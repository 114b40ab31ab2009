import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Run } from '../../src/records/run-log/run-log.ts'

export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  readonly created_at: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A customer's endpoint that refuses every tenth delivery the first time, and keeps what it accepted. */
export async function openReceiver() {
  const accepted = new Map<string, string>()
  const refused = new Set<string>()
  const faults: string[] = []
  let arrivals = 0
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request)
      const { id } = JSON.parse(body) as ReceivedEvent
      if (++arrivals % 10 === 0 && !refused.has(id)) {
        refused.add(id)
        return response.writeHead(500).end()
      }
      if (accepted.has(id) && accepted.get(id) !== body) faults.push(`event ${id} was sent with two bodies`)
      accepted.set(id, body)
      return response.writeHead(204).end()
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    faults,
    events: () => Array.from(accepted.values(), (body) => JSON.parse(body) as ReceivedEvent),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const toldFields = [
  'status',
  'model',
  'workflow_id',
  'department_id',
  'deployment_id',
  'customer_id',
  'cost_usd',
  'cost_basis',
  'input_tokens',
  'output_tokens',
  'ended_at',
] as const

/** Every run was told of, and its last event says what the run says. */
export function faultsOfEvents(events: readonly ReceivedEvent[], runs: readonly Run[]): string[] {
  const finished = Map.groupBy(
    events.filter(({ type }) => type === 'run.finished'),
    ({ data }) => data['run_id'] as string,
  )
  const known = new Set(runs.map(({ id }) => id))
  return [
    ...[...finished.keys()]
      .filter((id) => !known.has(id))
      .map((id) => `an event tells of the run ${id}, which is not there`),
    ...runs.flatMap((run) => {
      const told = (finished.get(run.id) ?? []).toSorted((a, b) => a.id.localeCompare(b.id))
      const last = told.at(-1)
      if (!last) return [`no event tells of the run ${run.id}`]
      if (told.length > 2) return [`${told.length} events tell of the run ${run.id}`]
      const wrong = toldFields.filter((name) => JSON.stringify(last.data[name]) !== JSON.stringify(run[name]))
      return wrong.map(
        (name) => `the event of ${run.id} says ${name} ${JSON.stringify(last.data[name])}, the run ${run[name]}`,
      )
    }),
  ]
}
