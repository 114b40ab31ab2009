import { type FieldFault, validationFailed } from '../../../contract/errors.ts'
import { forEachYielding } from '../../../platform/infra/time-slice.ts'
import type { KnownKeyRow, RunKey } from '../../../records/run-log/run-log.ts'
import { errorOf } from '../../../values/thrown.ts'
import type { OrgConfig, ParentRun } from '../operations.ts'
import type { PreparedItem, PreparedTask } from './ingest-plan.ts'
import { faultsOf, type Ingested, type IngestItem, type IngestTask } from './ingest-tasks.ts'

/** Tasks whose runs can be written now, and the run keys they claim. */
export interface PreparedBatch {
  readonly tasks: readonly PreparedTask[]
  readonly keys: readonly RunKey[]
}

/**
 * Drafts every run from the organization's configuration. A task with an invalid run is answered with all of its faults; one that
 * shares a run key with an earlier task waits until that has been decided.
 */
export async function prepareTasks(
  tasks: readonly IngestTask[],
  parents: ReadonlyMap<string, ParentRun>,
  orgConfigOf: (orgId: string) => OrgConfig,
  nowMs: number,
  answers: Map<IngestTask, Ingested | Error>,
): Promise<{ readonly ready: PreparedBatch; readonly deferred: ReadonlySet<IngestTask> }> {
  const ready: PreparedTask[] = []
  const claimed = new Set<string>()
  const deferred = new Set<IngestTask>()
  for (const task of tasks) {
    try {
      const prepared = await prepareTask(task, parents, orgConfigOf(task.orgId), nowMs)
      const names = new Set(prepared.items.flatMap(({ keys }) => keys.map(({ key }) => `${task.orgId} ${key}`)))
      if ([...names].some((name) => claimed.has(name))) {
        deferred.add(task)
        continue
      }
      for (const name of names) claimed.add(name)
      ready.push(prepared)
    } catch (error) {
      answers.set(task, errorOf(error))
    }
  }
  return {
    ready: {
      tasks: ready,
      keys: ready.flatMap(({ items }) => items.flatMap(({ keys, requestKeys }) => [...keys, ...requestKeys])),
    },
    deferred,
  }
}

async function prepareTask(
  task: IngestTask,
  parents: ReadonlyMap<string, ParentRun>,
  orgConfig: OrgConfig,
  nowMs: number,
): Promise<PreparedTask> {
  const faults: FieldFault[] = []
  const items: PreparedItem[] = []
  await forEachYielding(task.items, (item, index) => {
    const parent = item.parentId === undefined ? undefined : parents.get(`${task.orgId} ${item.parentId}`)
    try {
      const draft = item.draft({ orgConfig, parent, nowMs })
      const keys = keysOf(task.orgId, item, draft.run.id)
      items.push({ item, draft, parent, keys, requestKeys: requestKeysOf(task.orgId, item), owner: undefined })
    } catch (error) {
      faults.push(...faultsOf(error, index))
    }
  })
  if (faults.length > 0) throw validationFailed(faults)
  return { task, items }
}

const keysOf = (orgId: string, { key, holdKey }: IngestItem, runId: string): RunKey[] => [
  ...(key ? [{ orgId, key: key.name, runId, hash: key.hash }] : []),
  ...(holdKey ? [{ orgId, key: holdKey.name, runId, hash: holdKey.hash }] : []),
]

const requestKeysOf = (orgId: string, { requestKey, holdId }: IngestItem): RunKey[] =>
  requestKey === undefined || holdId === undefined ? [] : [{ orgId, key: requestKey, runId: holdId, hash: null }]

/** Sets the owner of each item whose run key another run has, and forgets requests that were noted before. */
export function setOwners(tasks: readonly PreparedTask[], known: readonly KnownKeyRow[]) {
  const owners = new Map(known.map((row) => [`${row.org_id} ${row.key}`, row]))
  for (const { task, items } of tasks) {
    for (const item of items) {
      item.requestKeys = item.requestKeys.filter(({ key }) => !owners.has(`${task.orgId} ${key}`))
      item.owner = item.keys
        .map(({ key }) => owners.get(`${task.orgId} ${key}`))
        .find((owner) => owner !== undefined && owner.run_id !== item.draft.run.id)
    }
  }
}
