import type { ChangeTools } from '../../access/changes/changes.ts'
import type { DesiredState } from '../../contract/replaceable.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Sql, Tx } from '../../platform/infra/sql.ts'
import { type AccessLease, type Cache, createOrgCache } from '../../platform/nodes/nodes.ts'
import { lockOrg } from '../../tenants/orgs/orgs.ts'
import { formatId } from '../../values/id.ts'
import { timestamp } from '../../values/timestamp.ts'
import { blockingError, compileSafety, type SafetyCheck } from './inspection.ts'
import type { Inspector } from './inspection-thread.ts'
import { assertPatterns } from './own-patterns.ts'
import { findSafetySettings, type SafetyRow, upsertSafetySettings } from './queries.ts'
import type { ContentSafety, SafetyDraftInput, SafetyInput } from './schema.ts'
import { withDetectorDefaults } from './settings.ts'

export { createFindingsPublisher, type FindingsPublisher } from './findings-publisher.ts'
export { blockingError, compileSafety, inspect, type SafetyCheck } from './inspection.ts'
export { Inspector } from './inspection-thread.ts'
export { assertPatterns } from './own-patterns.ts'
export { SafetyInput, safetyInputFaults } from './schema.ts'

/** The compiled settings of each organization, cached by this process. */
export type SafetyCache = Cache<SafetyCheck>

/** The check of an organization without settings: it looks for nothing and costs nothing. */
const emptyCheck: SafetyCheck = compileSafety(withDetectorDefaults({}))

export async function loadSafety(sql: Sql, orgId: string): Promise<SafetyCheck> {
  const row = await sql.asOrgs([orgId], (tx) => findSafetySettings(tx, orgId))
  return row ? compileSafety(withDetectorDefaults(row.settings)) : emptyCheck
}

export const createSafetyCache = ({ sql }: Pick<Platform, 'sql'>, lease: AccessLease): SafetyCache =>
  createOrgCache(lease, (orgId) => loadSafety(sql, orgId))

export async function getContentSafety(tx: Tx, orgId: string): Promise<ContentSafety> {
  return viewOf(await findSafetySettings(tx, orgId))
}

/** Replaces the organization's settings. Once this is committed, no process uses the previous ones. */
export async function putContentSafety(
  { tx, audit, replaces, accessChanged }: ChangeTools,
  orgId: string,
  wanted: DesiredState<SafetyDraftInput>,
): Promise<ContentSafety> {
  await lockOrg(tx, orgId)
  const before = await getContentSafety(tx, orgId)
  replaces(before)
  const after = viewOf(await upsertSafetySettings(tx, orgId, withDetectorDefaults(wanted(before))))
  audit({ action: 'content_safety.changed', target: { kind: 'org', id: formatId('org', orgId) }, before, after })
  accessChanged()
  return after
}

const viewOf = (row: SafetyRow | undefined) =>
  ({
    ...withDetectorDefaults(row?.settings ?? {}),
    updated_at: row ? timestamp(row.updated_at) : null,
  }) as ContentSafety

/** Returns the findings in a text for whoever configures the detectors. Nothing of it is stored, so nothing can leak. */
export async function testContentSafety(
  inspector: Inspector,
  orgId: string,
  set: SafetyCheck,
  { input, settings }: { input: SafetyInput; settings?: SafetyDraftInput },
) {
  if (settings) await assertPatterns(settings, 'settings.')
  const check = settings ? compileSafety(withDetectorDefaults(settings)) : set
  const findings = await inspector.inspect(orgId, check, input, { includeBelowThreshold: true })
  return {
    findings: findings.map((finding) => ({ ...finding, fires: finding.score >= finding.threshold })),
    blocked_by: blockingError(findings)?.details['detector'] ?? null,
  }
}
