import { domainOfEmail } from '../../people/domains/domains.ts'
import { isEmail } from '../../people/members/members.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { readStandings } from './recipient-queries.ts'

/** An address to which an organization wants mail sent. */
export interface WantedRecipient {
  readonly orgId: string
  readonly address: string
}

/**
 * Relation of an address to an organization: its own, to which it may have mail sent; a member's of whom it is not known that they read it; or a
 * stranger's. Administrators choose the addresses of members, so that somebody is a member says nothing about who reads the mail.
 */
export type AddressStanding = 'own' | 'unconfirmed' | 'stranger'

/** Returns what addresses are to their organizations, in their order, with one query for all. */
export async function standingsOf(tx: Tx, wanted: readonly WantedRecipient[]): Promise<AddressStanding[]> {
  if (wanted.length === 0) return []
  const found = await readStandings(
    tx,
    wanted.map(({ orgId, address }) => ({ orgId, address, domain: domainOfEmail(address) ?? null })),
  )
  return wanted.map(({ address }, place): AddressStanding => {
    const { is_member = false, is_of_domain = false, is_confirmed = false } = found.get(place) ?? {}
    if (!isEmail(address)) return 'stranger'
    if (is_of_domain || (is_member && is_confirmed)) return 'own'
    return is_member ? 'unconfirmed' : 'stranger'
  })
}
