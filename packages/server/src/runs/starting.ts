import { hash } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import { type HoldTask, holdTask } from '../decisions/decisions.ts'
import type { Agent } from '../identity/identity.ts'
import type { KnownHold, Result, Task } from '../lanes/lanes.ts'
import type { Grant } from '../ledger/ledger.ts'
import { type Admission, type Run, type RunKey, runningRun, runningView } from '../run-log/run-log.ts'
import { formatId, newUuid, parseId } from '../values/id.ts'
import { formatUsd } from '../values/money.ts'
import { placeInChain } from './chain-place.ts'
import type { DryRun, ResolvedStart, StartInput } from './schema.ts'

/** How the caller's own id names a run. */
export const externalKey = (externalId: string) => `e:${externalId}`
/** How the reservation that it settled names a run. */
export const reservationKey = (holdId: string) => `r:${holdId}`

/** What was said of a run; the first byte tells a start from an ingested run. */
const startMark = '00'
const ingestMark = '01'
export const startHash = ({ input: _unkept, ...said }: StartInput) => startMark + contentHash(said)
export const ingestHash = (content: object) => ingestMark + contentHash(content)
export const isStart = (contentHash: Buffer | null) => contentHash?.[0] === 0

/** The same whatever the order of the fields. */
const contentHash = (content: object) => hash('sha256', JSON.stringify(sorted(content)), 'hex')

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const fields = value as Record<string, unknown>
  const all: unknown[] = []
  for (const name of Object.keys(fields).sort()) if (fields[name] !== undefined) all.push(name, sorted(fields[name]))
  return all
}

/** What is known of a start beside what was asked for. */
export interface StartFacts {
  /** Of everything that was said, so that the same start is known again. */
  readonly hash: string
  readonly admission?: Admission | undefined
  readonly grant?: Grant | undefined
}

/** A run on its way to being started: its hold, and what is kept of it. */
export function startTask(agent: Agent, input: ResolvedStart, { hash: said, admission, grant }: StartFacts): HoldTask {
  const { orgId } = agent
  const { operation, action, chain_id, parent_run_id, external_id, tags, metadata, chain_limits, ...request } = input
  // What is no id at all is looked for like one that does not exist.
  const parentId = parent_run_id === undefined ? undefined : (parseId('run', parent_run_id) ?? noRun)
  return holdTask(agent, request, 'start', 'charge', {
    chainId: chain_id,
    parentId,
    runKey: (id): RunKey | undefined =>
      external_id === undefined || input.dry_run === true
        ? undefined
        : { orgId, key: externalKey(external_id), runId: id, hash: said },
    place: (facts, id) => {
      if (parent_run_id !== undefined && !facts.parent) throw new ApiError('not_found')
      const chain = placeInChain(
        { chainId: chain_id, parentRunId: parent_run_id, workflowId: request.workflow_id, bounds: chain_limits },
        facts,
        id,
      )
      const { chainId, depth } = chain ?? {}
      return {
        chain,
        approval: grant,
        run: {
          operation,
          action,
          external_id,
          tags,
          metadata,
          chain_id: chainId,
          parent_run_id: parentId,
          depth,
          admission,
        },
      }
    },
  })
}

/**
 * A start that is refused, unless it has happened already: on its way to where that is known. Whoever lost the answer to a start
 * gets it again.
 */
export const refusedTask = (
  orgId: string,
  { external_id, dry_run }: { readonly external_id?: string | undefined; readonly dry_run?: boolean },
  hash: string,
  refusal: Error,
): Task => ({
  orgId,
  runKey:
    external_id === undefined || dry_run === true
      ? undefined
      : { orgId, key: externalKey(external_id), runId: newUuid(), hash },
  bind: () => {
    throw refusal
  },
})

export const noRun = '00000000-0000-0000-0000-000000000000'

/** The run that has started, from the verdict and what was asked. */
export function startedRun(task: HoldTask, { verdict }: Pick<Result, 'verdict'>): Run {
  if (verdict.type !== 'held') throw new TypeError(`no run starts with ${verdict.type}`)
  return runningView(
    runningRun({
      id: task.id,
      expiresAtMs: task.lastAsk().expiresAtMs,
      amountNano: task.quoted().charge.usd,
      inputs: task.lastAsk().inputs,
      madeBy: task.lastAsk().by,
    }),
  )
}

/** What a start would have been that held nothing. */
export function dryRun(
  task: HoldTask,
  { verdict }: Pick<Result, 'verdict'>,
  { model, provider }: ResolvedStart,
): DryRun {
  if (verdict.type !== 'held') throw new TypeError(`nothing would start with ${verdict.type}`)
  return {
    decision: 'allow',
    decision_id: formatId('decision', task.id),
    model,
    provider: provider ?? null,
    reserved_usd: formatUsd(task.quoted().charge.usd),
    remaining_usd: verdict.remaining === null ? null : formatUsd(verdict.remaining),
  }
}

/** A start with an id that another run has: the same start again is answered with that run, another one is a conflict. */
export function startedBefore({ verdict }: Pick<Result, 'verdict'>, said: string): string | undefined {
  if (verdict.type !== 'known') return undefined
  if (verdict.contentHash?.toString('hex') === said) return verdict.runId
  throw new ApiError('conflict', {}, { message: 'Another run has this external_id.' })
}

/** A running run from its hold. */
export const runOfHold = (hold: object): Run => runningView(runningRun(hold as KnownHold))
