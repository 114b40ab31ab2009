import { insertLimit } from '../../src/money/ledger/ledger.ts'
import { formatId, newUuid } from '../../src/values/id.ts'
import { alternate, described, ratioOf } from '../support/report.ts'
import { ask, type Bench, type BenchOrg, benchLimit, call, openBenchPlatform, startApi } from '../support/server.ts'

const connections = 200
const bar = 0.85

/** Decisions that ten limits bind against those that five bind, of two organizations in one process, in turns. */
export async function benchLimits({ postgres, orgs, smoke }: Bench) {
  const [five, ten] = [orgs.slice(0, 1), orgs.slice(1, 2)]
  for (const org of ten) await addFive({ postgres, orgs, smoke }, org)
  const api = await startApi(postgres)
  const side = (of: readonly BenchOrg[], isWarmUp = false) =>
    ask(api, postgres, { orgs: of, connections, seconds: smoke ? 1 : 4, isWarmUp })
  try {
    for (const each of [five, ten]) await side(each, true)
    const by = await alternate(smoke ? 1 : 9, { ten: () => side(ten), five: () => side(five) })
    const ratio = ratioOf(by.ten, by.five, { bar, smoke })
    console.log(`ten limits, ${connections} connections: ${described(by.ten)}`)
    console.log(`five limits, ${connections} connections: ${described(by.five)}; ${ratio}`)
  } finally {
    await api.stop()
  }
}

/** Adds budgets of the key, the model, the provider, and of two scopes together. */
async function addFive({ postgres }: Bench, { id }: BenchOrg) {
  const platform = await openBenchPlatform(postgres)
  try {
    await platform.sql.asOrgs([id], async (tx) => {
      const { id: keyId } = await tx
        .selectFrom('api_keys')
        .select('id')
        .where('org_id', '=', id)
        .executeTakeFirstOrThrow()
      for (const scope of scopesOf(keyId))
        await insertLimit(tx, id, { ...benchLimit, ...scope, id: newUuid(), kind: 'budget', name: 'more' })
    })
  } finally {
    await platform.close()
  }
}

function scopesOf(keyId: string) {
  const model = { and_kind: 'model', and_id: call.model }
  const provider = { and_kind: 'provider', and_id: 'openai' }
  return [
    { scope_kind: 'key', scope_id: formatId('key', keyId) },
    { scope_kind: 'model', scope_id: call.model },
    { scope_kind: 'provider', scope_id: 'openai' },
    { scope_kind: 'department', scope_id: call.department_id ?? '', ...model },
    { scope_kind: 'workflow', scope_id: call.workflow_id ?? '', ...provider },
  ]
}
