import type { ChangeTools } from '../changes/changes.ts'
import type { Wanted } from '../contract/replaceable.ts'
import type { Platform } from '../infra/platform.ts'
import type { Sql, Tx } from '../infra/sql.ts'
import { type AccessLease, type Remembered, rememberByOrg } from '../nodes/nodes.ts'
import { lockOrg } from '../orgs/orgs.ts'
import { formatId } from '../values/id.ts'
import { timestamp } from '../values/timestamp.ts'
import { blockedBy, compileSafety, inspect, type SafetyCheck } from './inspection.ts'
import { checkedPatterns } from './own-patterns.ts'
import { findSettings, type SafetyRow, upsertSettings } from './queries.ts'
import type { ContentSafety, SafetyDraftInput, SafetyInput } from './schema.ts'
import { complete } from './settings.ts'

export { blockedBy, compileSafety, inspect, type SafetyCheck } from './inspection.ts'
export { checkedPatterns } from './own-patterns.ts'
export { SafetyInput, safetyInputFaults } from './schema.ts'
export { type FindingsTeller, tellFindings } from './telling.ts'

/** The compiled settings of each organization, cached by this process. */
export type Safety = Remembered<SafetyCheck>

/** The check of an organization without settings: it looks for nothing and costs nothing. */
const nothing: SafetyCheck = compileSafety(complete({}))

export async function loadSafety(sql: Sql, orgId: string): Promise<SafetyCheck> {
  const row = await sql.asOrgs([orgId], (tx) => findSettings(tx, orgId))
  return row ? compileSafety(complete(row.settings)) : nothing
}

export const rememberSafety = ({ sql }: Pick<Platform, 'sql'>, lease: AccessLease): Safety =>
  rememberByOrg(lease, (orgId) => loadSafety(sql, orgId))

export async function getContentSafety(tx: Tx, orgId: string): Promise<ContentSafety> {
  return viewOf(await findSettings(tx, orgId))
}

/** Replaces the organization's settings. Once this is committed, no process uses the previous ones. */
export async function putContentSafety(
  { tx, audit, replaces, accessChanged }: ChangeTools,
  orgId: string,
  wanted: Wanted<SafetyDraftInput>,
): Promise<ContentSafety> {
  await lockOrg(tx, orgId)
  const before = await getContentSafety(tx, orgId)
  replaces(before)
  const after = viewOf(await upsertSettings(tx, orgId, complete(wanted(before))))
  audit({ action: 'content_safety.changed', target: { kind: 'org', id: formatId('org', orgId) }, before, after })
  accessChanged()
  return after
}

const viewOf = (row: SafetyRow | undefined) =>
  ({
    ...complete(row?.settings ?? {}),
    updated_at: row ? timestamp(row.updated_at) : null,
  }) as ContentSafety

/** Returns the findings in a text for whoever configures the detectors. Nothing of it is stored, so nothing can leak. */
export async function tryOut(
  set: SafetyCheck,
  { input, settings }: { input: SafetyInput; settings?: SafetyDraftInput },
) {
  if (settings) await checkedPatterns(settings, 'settings.')
  const findings = await inspect(settings ? compileSafety(complete(settings)) : set, input, { belowToo: true })
  return {
    findings: findings.map((finding) => ({ ...finding, fires: finding.score >= finding.threshold })),
    blocked_by: blockedBy(findings)?.details['detector'] ?? null,
  }
}
