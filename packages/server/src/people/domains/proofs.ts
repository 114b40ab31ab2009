import { auditKeyring, recordOfJob } from '../../access/audit/audit.ts'
import type { Job } from '../../platform/infra/jobs.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { createTxtLookup, type FindTxtRecords } from '../../platform/infra/txt-records.ts'
import { lockOrg } from '../../tenants/orgs/orgs.ts'
import { type DomainKey, type DomainRow, findDomain, findHolder, listProvedDomains, updateDomain } from './queries.ts'
import { domainView, recordNameOf, recordOf } from './view.ts'

type Ground = Pick<Platform, 'sql' | 'config' | 'clock' | 'log'>

const jobName = 'check-domains'
const maxMissedDays = 3
/** The least time between two checks that count as two days: a job may run twice, and a day later a little earlier. */
const dayMs = 20 * 60 * 60 * 1_000
/** Domains that are asked for at once: name servers that do not answer must not make the others wait for long. */
const pageSize = 20

const isAmong = (row: DomainRow, records: readonly string[]) => records.includes(recordOf(row).value)

/** Does the work on a domain that is still proved; nothing on any other. */
const withProof = ({ sql }: Ground, { org_id, id }: DomainKey, work: (tx: Tx, row: DomainRow) => Promise<void>) =>
  sql.asOrgs([org_id], async (tx) => {
    await lockOrg(tx, org_id)
    const row = await findDomain(tx, org_id, id)
    if (row && row.verified_at !== null) await work(tx, row)
  })

/** Takes a proof back. From then on the domain leads to no connection and vouches for no address. */
async function takeBack(
  { config, log }: Ground,
  tx: Tx,
  { org_id, id }: DomainKey,
  fields: Pick<DomainRow, 'checked_at' | 'missed_days' | 'missed_at'>,
  action: 'domain.lapsed' | 'domain.displaced',
) {
  const after = domainView(await updateDomain(tx, org_id, id, { ...fields, verified_at: null }))
  const entry = { action, target: { kind: 'domain', id: after.id }, after }
  await recordOfJob(tx, auditKeyring(config.masterKeys()), org_id, jobName, [entry])
  log.warn(
    { org_id: after.org_id, domain_id: after.id, action },
    'the record of a proved domain is gone; the proof was taken back',
  )
}

/**
 * Takes a domain from another organization whose record is gone, if `records` prove it for this one. The records of both have one name, so that
 * one answer tells of both. An organization that was looked at after the answer was asked for keeps the domain.
 */
export async function displaceLapsedProof(
  ground: Ground,
  claim: DomainRow,
  { records, askedAt }: { readonly records: readonly string[]; readonly askedAt: Date },
) {
  if (!isAmong(claim, records)) return
  const holder = await findHolder(ground.sql, claim.domain)
  if (!holder || holder.org_id === claim.org_id) return
  await withProof(ground, holder, async (tx, row) => {
    if (isAmong(row, records) || (row.checked_at !== null && row.checked_at > askedAt)) return
    const fields = { checked_at: ground.clock.now(), missed_days: 0, missed_at: null }
    await takeBack(ground, tx, holder, fields, 'domain.displaced')
  })
}

/**
 * Looks the records of all proved domains up again. A proof lapses when its record is missing on three days in a row; a day on which no name
 * server could be asked counts neither way.
 */
export async function checkDomains(ground: Ground, findTxtRecords: FindTxtRecords, signal?: AbortSignal) {
  const failures: unknown[] = []
  let last = ''
  for (;;) {
    signal?.throwIfAborted()
    const page = await listProvedDomains(ground.sql, last, pageSize)
    const outcomes = await Promise.allSettled(page.map((proof) => check(ground, findTxtRecords, proof)))
    // A failure of one domain must not keep the others from being checked.
    for (const outcome of outcomes) if (outcome.status === 'rejected') failures.push(outcome.reason)
    last = page.at(-1)?.domain ?? last
    if (page.length < pageSize) break
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} domains could not be checked`)
}

async function check(ground: Ground, findTxtRecords: FindTxtRecords, proof: DomainKey & Pick<DomainRow, 'domain'>) {
  const askedAt = ground.clock.now()
  const records = await findTxtRecords(recordNameOf(proof.domain))
  if (records === undefined) return
  await withProof(ground, proof, async (tx, row) => {
    const checked_at = ground.clock.now()
    if (isAmong(row, records)) {
      await updateDomain(tx, proof.org_id, proof.id, { checked_at, missed_days: 0, missed_at: null })
      return
    }
    const isNewer = row.checked_at !== null && row.checked_at > askedAt
    const isCounted = row.missed_at !== null && checked_at.getTime() - row.missed_at.getTime() < dayMs
    if (isNewer || isCounted) return
    const fields = { checked_at, missed_days: row.missed_days + 1, missed_at: checked_at }
    if (fields.missed_days < maxMissedDays) await updateDomain(tx, proof.org_id, proof.id, fields)
    else await takeBack(ground, tx, proof, fields, 'domain.lapsed')
  })
}

export function checkDomainsJob(platform: Platform): Job {
  const findTxtRecords = createTxtLookup(platform.config.dnsServers)
  return {
    name: jobName,
    schedule: '23 4 * * *',
    run: (_payload, signal) => checkDomains(platform, findTxtRecords, signal),
  }
}
