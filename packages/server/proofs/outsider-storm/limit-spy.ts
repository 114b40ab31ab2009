import type pg from 'pg'
import { readBooks } from '../storm/books.ts'

/**
 * A witness inside PostgreSQL that the product does not know of: it notes every change of a limit with the number of the ledger's
 * last batch, so that each admission can be held against the limit that was in force when it was made.
 */
export async function installLimitSpy(client: pg.Client) {
  await client.query(`
    create schema spy;
    create table spy.limits (
      org_id uuid, limit_id uuid, seq bigint, noted bigint generated always as identity, amount bigint, enforcement text);
    create function spy.note() returns trigger language plpgsql security definer as $$
    begin
      insert into spy.limits (org_id, limit_id, seq, amount, enforcement)
      select new.org_id, new.id, coalesce((select seq from org_ledgers where org_id = new.org_id), 0),
             case when new.ended_at is null then new.amount end, new.enforcement;
      return null;
    end $$;
    create trigger spy_limits after insert or update on limits for each row execute function spy.note();`)
}

interface NotedLimit {
  readonly limit_id: string
  readonly seq: bigint
  readonly amount: bigint | null
  readonly enforcement: string
}

/** Goes through the journal movement by movement: nothing was admitted above the limit that was in force. */
export async function faultsOfAdmissions(client: pg.Client, orgUuid: string) {
  const { movements } = await readBooks(client, orgUuid)
  const limitOf = new Map(
    (
      await client.query<{ key: string; limit_id: string }>('select key, limit_id from allowances where org_id = $1', [
        orgUuid,
      ])
    ).rows.map(({ key, limit_id }) => [key, limit_id]),
  )
  const { rows } = await client.query<NotedLimit>(
    'select limit_id, seq, amount, enforcement from spy.limits where org_id = $1 order by noted',
    [orgUuid],
  )
  const notes = Map.groupBy(rows, ({ limit_id }) => limit_id)
  const inForce = (key: string, seq: bigint) =>
    notes.get(limitOf.get(key) ?? '')?.findLast((note) => note.seq < seq && note.enforcement === 'block')?.amount ??
    null

  const faults: string[] = []
  const used = new Map<string, bigint>()
  let admissions = 0
  for (const { seq, kind, keys, d_spent, d_held, hold_id } of movements)
    for (const [i, key] of keys.entries()) {
      const sum = (used.get(key) ?? 0n) + d_spent[i]! + d_held[i]!
      used.set(key, sum)
      const asked = kind === 'hold' ? d_held[i]! : kind === 'charge' ? d_spent[i]! : 0n
      if (asked <= 0n) continue
      admissions++
      const limit = inForce(key, seq)
      if (limit !== null && sum > limit)
        faults.push(`batch ${seq} admitted ${asked} (${kind} ${hold_id}) to ${sum} of ${limit} on ${limitOf.get(key)}`)
    }
  return { faults, admissions }
}
