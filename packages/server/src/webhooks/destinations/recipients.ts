import { isOfProvedDomain } from '../../people/domains/domains.ts'
import { findMemberByEmail, isEmail, memberStatus } from '../../people/members/members.ts'
import type { Tx } from '../../platform/infra/sql.ts'

/** True for an address to which an organization may have mail sent: of an active member, or of a domain that it has proved. */
async function isOwnAddress(tx: Tx, orgId: string, address: string): Promise<boolean> {
  if (!isEmail(address)) return false
  const member = await findMemberByEmail(tx, orgId, address)
  return (member !== undefined && memberStatus(member) === 'active') || isOfProvedDomain(tx, orgId, address)
}

/** Returns the places of the addresses to which an organization may not have mail sent. */
export async function strangersAmong(tx: Tx, orgId: string, addresses: readonly string[]): Promise<number[]> {
  const places: number[] = []
  for (const [i, address] of addresses.entries()) if (!(await isOwnAddress(tx, orgId, address))) places.push(i)
  return places
}
