import { type AuditRecord, auditKeyring, record } from '../../access/audit/audit.ts'
import type { ChangeDescription, ChangeTools } from '../../access/changes/changes.ts'
import { operatorScopes } from '../../access/identity/identity.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { newTraceId } from '../../platform/infra/trace.ts'
import { notifyAccessChange, recordAccessChange, waitUntilAppliedEverywhere } from '../../platform/nodes/nodes.ts'
import { operatorsOrgId } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { type Holder, mintFor, revoke, rotate } from '../keys/keys.ts'
import { findOrg, lockOrg, setAddressList } from '../orgs/orgs.ts'

/** Rules for operators' keys and addresses, shared by routes and by commands on the machine. */

type Tools = Pick<ChangeTools, 'tx' | 'audit' | 'accessChanged'>

export interface OperatorKeyRequest {
  readonly name: string
  readonly scopes?: string[]
  readonly expires_at?: string
}

export async function mintOperatorKey(
  platform: Platform,
  { tx, audit }: Tools,
  holder: Holder,
  request: OperatorKeyRequest,
) {
  const input = { ...request, role: 'operator' as const, scopes: request.scopes ?? [...operatorScopes] }
  const { view, secret } = await mintFor(platform, tx, holder, input)
  audit({ action: 'key.created', target: { kind: 'key', id: view.id }, after: view })
  return { ...view, secret }
}

export async function rotateOperatorKey(
  platform: Platform,
  { tx, audit, accessChanged }: Tools,
  holder: Holder,
  id: string,
  overlapSeconds: number,
) {
  const { old, view, secret } = await rotate(platform, tx, holder, id, overlapSeconds)
  audit({ action: 'key.rotated', target: { kind: 'key', id: old.id }, after: view })
  accessChanged()
  return { ...view, secret }
}

export async function revokeOperatorKey(
  platform: Platform,
  { tx, audit, accessChanged }: Tools,
  holder: Holder,
  id: string,
  options: { isForced?: boolean; withDescendants?: boolean } = {},
) {
  const [target, ...others] = await revoke(platform, tx, holder, id, options)
  const revoked = [target, ...others].filter(({ isNew }) => isNew)
  for (const { before, after } of revoked)
    audit({ action: 'key.revoked', target: { kind: 'key', id: after.id }, before, after })
  if (revoked.length > 0) accessChanged()
  return {
    ...target.after,
    ...(options.withDescendants === true && { revoked_descendants: others.map(({ after }) => after.id) }),
  }
}

export async function operatorAddresses(tx: Tx): Promise<string[]> {
  return present(await findOrg(tx, operatorsOrgId)).ip_allow_list
}

/** Replaces the allow-list of operators and of the grants that they issue. */
export async function setOperatorAddresses(
  { tx, audit, replaces, accessChanged }: Tools & Partial<ChangeTools>,
  accepted: (before: object) => string[],
) {
  await lockOrg(tx, operatorsOrgId)
  const before = { ip_allow_list: await operatorAddresses(tx) }
  replaces?.(before)
  const list = accepted(before)
  const after = { ip_allow_list: list }
  await setAddressList(tx, operatorsOrgId, list)
  audit({ action: 'operators.ip_allow_list_changed', target: { kind: 'operators', id: 'operators' }, before, after })
  accessChanged()
  return after
}

/** Holder for commands on the machine itself, which may do anything about operators. */
export const machineHolder: Holder = {
  orgId: operatorsOrgId,
  role: 'operator',
  scopes: new Set(operatorScopes),
  pins: {},
  expiresAtMs: Number.POSITIVE_INFINITY,
}

/** Runs a command, records it in the operators' audit log, and waits until every process has applied it. */
export async function runAsCommand<T>(
  platform: Platform,
  command: string,
  work: (tools: Tools) => Promise<T>,
): Promise<T> {
  const { sql, config } = platform
  let version: bigint | undefined
  const result = await sql.asOrgs([operatorsOrgId], async (tx) => {
    const entries: ChangeDescription[] = []
    let isAccessChanged = false
    const answer = await work({
      tx,
      audit: (entry) => entries.push(entry),
      accessChanged: () => {
        isAccessChanged = true
      },
    })
    if (isAccessChanged) version = await recordAccessChange(tx, operatorsOrgId)
    for (const entry of entries)
      await record(tx, auditKeyring(config.masterKeys()), operatorsOrgId, ofMachine(entry, command))
    return answer
  })
  if (version !== undefined) {
    await notifyAccessChange(sql)
    await waitUntilAppliedEverywhere(sql, version)
  }
  return result
}

const ofMachine = (entry: ChangeDescription, command: string): AuditRecord => ({
  ...entry,
  actor: { kind: 'system', id: command, role: 'operator' },
  address: null,
  traceId: newTraceId(),
})
