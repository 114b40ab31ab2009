import { Type } from 'typebox'
import { lineageOf } from '../../access/identity/identity.ts'
import { type FieldFault, validationFailed } from '../../contract/errors.ts'
import { OwnId } from '../../contract/wire.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId, parseId } from '../../values/id.ts'
import { normalForm } from '../../values/normal-form.ts'
import type { ScopeKind } from '../ledger/ledger.ts'
import { canonicalModel, providerName } from '../prices/prices.ts'

/** The id of a scope, as a caller names it. */
export const ScopeId = Type.String({
  ...OwnId,
  description:
    'Your id of the workflow, deployment, department, customer or user, the id of a key, the name of a provider or model, or a tag; not with `org`.',
})

interface ScopeInput {
  readonly scope_kind: string
  readonly scope_id?: string | undefined
}

const required = (field: string): FieldFault => ({ field, code: 'required', message: 'This field is required.' })

/** Field errors of a scope: only the whole organization has no id, and a key is named by its own. */
export function scopeFaults({ scope_kind, scope_id }: ScopeInput, prefix = ''): FieldFault[] {
  const field = `${prefix}scope_id`
  if (scope_id === undefined) return scope_kind === 'org' ? [] : [required(field)]
  if (scope_kind === 'org')
    return [{ field, code: 'invalid_value', message: 'A limit of the organization has no scope_id.' }]
  if (normalForm(scope_id) === '') return [{ field, code: 'empty', message: 'Must have a character that can be seen.' }]
  return scope_kind === 'key' && parseId('key', scope_id) === undefined
    ? [{ field, code: 'invalid_format', message: 'Must be the id of a key.' }]
    : []
}

/** Returns the ids under which a scope may be stored that a list is filtered by: a key also by the first of its rotations. */
export async function soughtScopeIds(
  tx: Tx,
  orgId: string,
  { scope_id }: { readonly scope_id?: string | undefined },
): Promise<string[] | undefined> {
  if (scope_id === undefined) return undefined
  const keyId = parseId('key', scope_id)
  const lineageId = keyId && (await lineageOf(tx, orgId, keyId))
  return [normalForm(scope_id), ...(lineageId ? [formatId('key', lineageId)] : [])]
}

/**
 * Returns the id under which a scope is stored. A key is stored as the first of its rotations, so that a rotated key stays within
 * its limits; everything else in the form in which charges name it.
 */
export async function storedScopeId(
  tx: Tx,
  orgId: string,
  { scope_kind, scope_id = '' }: ScopeInput & { readonly scope_kind: ScopeKind },
  field = 'scope_id',
): Promise<string> {
  if (scope_kind === 'model') return canonicalModel(scope_id, undefined).model
  if (scope_kind === 'provider') return providerName(scope_id) || scope_id
  if (scope_kind !== 'key') return normalForm(scope_id)
  const keyId = parseId('key', scope_id)
  const lineageId = keyId && (await lineageOf(tx, orgId, keyId))
  if (lineageId) return formatId('key', lineageId)
  throw validationFailed([{ field, code: 'invalid_value', message: 'The organization has no such key.' }])
}
