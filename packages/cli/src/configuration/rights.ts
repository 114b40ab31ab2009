import type { Me } from '../session/session.ts'
import { fieldOf, isRecord, type Json, textOf } from '../values.ts'
import authority from './authority.json' with { type: 'json' }
import type { Action } from './plan.ts'

const ranks = ['viewer', 'member', 'service', 'admin', 'owner']
const rankOf = (role: string) => ranks.indexOf(role === 'service' ? 'member' : role)

/** Returns what the caller may not do of a plan, found before anything is done: the server would find it in the middle. */
export function missingRights(me: Me, actions: readonly Action[]): string[] {
  const found = actions.flatMap((action) => [...operationFaults(me, action), ...grantFaults(me, action)])
  return [...new Set(found)]
}

function operationFaults(me: Me, { method, path, kind }: Action): string[] {
  const needed = neededBy(method, path)
  if (!needed) return []
  const roles = Array.isArray(needed.roles) ? needed.roles : []
  return [
    ...(me.scopes.includes(needed.scope) ? [] : [`${kind.section}: needs the scope ${needed.scope}`]),
    ...(roles.includes(me.role) ? [] : [`${kind.section}: needs the role ${roles.join(' or ')}`]),
    ...(Object.keys(me.pins).length > 0 ? [`${kind.section}: needs a key without pins`] : []),
  ]
}

/** Returns the roles and the scope of the operation that a path stands for. */
function neededBy(method: string, path: string): { roles: unknown; scope: string } | undefined {
  const [place = ''] = path.split('?')
  const parts = place.split('/')
  for (const [operation, needed] of Object.entries(authority)) {
    const [verb, pattern = ''] = operation.split(' ')
    const names = pattern.split('/')
    const isSame = names.length === parts.length && names.every((name, i) => name === '*' || name === parts[i])
    if (verb === method && isSame && isRecord(needed)) return { roles: needed['roles'], scope: textOf(needed, 'scope') }
  }
  return undefined
}

/** No key grants more than it has: the same is asked of a key that the plan would make. */
function grantFaults(me: Me, action: Action): string[] {
  if (action.kind.section !== 'keys' || action.operation !== 'create') return []
  const { entry, label } = action
  const scopes = fieldOf(entry, 'scopes')
  const lacking = (Array.isArray(scopes) ? scopes.map(String) : []).filter(
    (scope) => !me.scopes.some((own) => own === scope),
  )
  return [
    ...lacking.map((scope) => `${label}: your key does not have the scope ${scope} that it grants`),
    ...(rankOf(textOf(entry, 'role')) > rankOf(me.role) ? [`${label}: its role is above yours`] : []),
    ...(endsLater(entry, me) ? [`${label}: it would end later than your key`] : []),
  ]
}

/** A key that names no end inherits that of the key that makes it. */
function endsLater(entry: Json, { expires_at }: Me): boolean {
  const end = Date.parse(textOf(entry, 'expires_at'))
  return expires_at !== null && !Number.isNaN(end) && end > Date.parse(expires_at)
}
