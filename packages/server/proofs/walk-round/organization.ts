import { requireId } from '../../src/values/id.ts'
import { call } from '../../test/support/tenants.ts'
import { agentScopes, countedDepartment, countedModel, keyLimitNano, type Settings } from './settings.ts'

/** A key with all its rotations, and who holds it. */
export interface Party {
  readonly id: string
  secret: string
}

export interface Organization {
  readonly id: string
  readonly uuid: string
  readonly caller: Party
  readonly neighbour: Party
  readonly budgets: Readonly<Record<'caller' | 'neighbour' | 'workflow' | 'model' | 'department', string>>
  /** Asks as the owner. */
  readonly own: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>
}

export async function createOrganization(url: string, operator: string, settings: Settings): Promise<Organization> {
  const { json } = await call(url, 'POST', '/v1/admin/orgs', { key: operator, body: { name: 'Walked round' } })
  const { id, owner_key } = json as unknown as { id: string; owner_key: { secret: string } }
  const own = async (method: string, path: string, body?: object) => {
    const answer = await call(url, method, path, { key: owner_key.secret, ...(body && { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.json
  }
  const org = `/v1/orgs/${id}`
  const keyOf = async (name: string, role: string, scopes: readonly string[], workflow_id: string | undefined) => {
    const pins = workflow_id === undefined ? {} : { pins: { workflow_id } }
    return (await own('POST', `${org}/keys`, { name, role, scopes, ...pins })) as unknown as Party
  }
  const budgetOf = async (scope_kind: string, scope_id: string, limit_usd: string | null) => {
    const budget = { name: scope_kind, scope_kind, scope_id, limit_usd, period: 'year' }
    return String((await own('POST', `${org}/budgets`, budget))['id'])
  }
  await own('PUT', `${org}/trust`, settings.trust)
  await own('PUT', `${org}/prices`, settings.prices)
  const caller = await keyOf('caller', settings.role, settings.scopes, settings.isPinned ? 'pinned' : undefined)
  const neighbour = await keyOf('neighbour', 'service', agentScopes, undefined)
  const limit = settings.hasKeyBudget ? String(keyLimitNano / 1e9) : null
  const [ofCaller, ofNeighbour, ofWorkflow, ofModel, ofDepartment] = await Promise.all([
    budgetOf('key', caller.id, limit),
    budgetOf('key', neighbour.id, null),
    budgetOf('workflow', 'pinned', null),
    budgetOf('model', countedModel, null),
    budgetOf('department', countedDepartment, null),
  ])
  const budgets = {
    caller: ofCaller,
    neighbour: ofNeighbour,
    workflow: ofWorkflow,
    model: ofModel,
    department: ofDepartment,
  }
  return { id, uuid: requireId('org', id), caller, neighbour, budgets, own }
}
