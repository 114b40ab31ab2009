import { sql as raw } from 'kysely'
import type { Tx } from '../../platform/infra/sql.ts'

/** An address to which an organization wants mail sent, with its domain where it has one. */
interface AskedRecipient {
  readonly orgId: string
  readonly address: string
  readonly domain: string | null
}

interface StandingRow {
  readonly place: number
  readonly is_member: boolean
  readonly is_of_domain: boolean
  readonly is_confirmed: boolean
}

/** Reads what speaks for addresses, by their places. */
export async function readStandings(tx: Tx, wanted: readonly AskedRecipient[]): Promise<Map<number, StandingRow>> {
  const { rows } = await raw<StandingRow>`
    select w.place,
           exists (select from memberships m where m.org_id = w."orgId" and m.email_key = w.address and m.removed_at is null
                      and m.deactivated_at is null and m.accepted_at is not null) as is_member,
           exists (select from sso_domains d where d.org_id = w."orgId" and d.domain = w.domain and d.verified_at is not null) as is_of_domain,
           exists (select from mail_addresses a where a.org_id = w."orgId" and a.address = w.address and a.confirmed_at is not null) as is_confirmed
      from json_to_recordset(${JSON.stringify(wanted.map((one, place) => ({ ...one, place })))})
        as w (place integer, "orgId" uuid, address text, domain text)`.execute(tx)
  return new Map(rows.map((row) => [row.place, row]))
}
