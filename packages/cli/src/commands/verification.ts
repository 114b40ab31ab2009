import type { Command } from 'commander'
import type { components } from '../api/api-types.ts'
import { Fault } from '../faults.ts'
import { countOf, nanoUsd, usd, usdOfNanos } from '../output/amounts.ts'
import { cleanLine } from '../output/clean.ts'
import { orgPath, type Session } from '../session/session.ts'
import { type Json, recordsOf, textOf } from '../values.ts'
import { action, type Context } from './context.ts'

type AuditVerification = components['schemas']['AuditVerification']
type JournalEntry = components['schemas']['JournalEntry']

export function addVerificationCommands(program: Command) {
  action(
    program
      .command('verify')
      .description('check that what limits say is spent and held is the sum of the ledger, to the nano-dollar'),
    verify,
  )
  const audit = program.command('audit').description('look at the audit log')
  action(
    audit
      .command('verify')
      .description('have the server recompute the hash chain of the audit log, from its first entry to its head')
      .option('--head <head>', 'a head that you kept: the log must still reach it with this hash'),
    auditVerify,
  )
}

interface Checked {
  readonly limit: string
  readonly label: string
  readonly entries: number
  readonly spent: { readonly shown: string; readonly booked: string }
  readonly held: { readonly shown: string; readonly booked: string }
  readonly agrees: boolean
}

async function verify({ terminal, isJson, session, end }: Context) {
  const opened = await session()
  const limits = await moneyLimits(opened)
  const checked: Checked[] = []
  for (const { path, label } of limits) {
    const progress = (entries: number) =>
      terminal.progress(`${checked.length + 1} of ${limits.length}: ${label}, ${entries} entries`)
    checked.push(await checkLimit(opened, path, label, progress))
  }
  const wrong = checked.filter(({ agrees }) => !agrees)
  if (isJson) terminal.json({ limits: checked, agrees: wrong.length === 0 })
  else {
    for (const { label, spent, held } of wrong)
      terminal.print(
        `${terminal.paint('differs', 'bad')} ${cleanLine(label)}: ${usd(spent.shown)} spent, ${usd(spent.booked)} in the ledger; ${usd(held.shown)} held, ${usd(held.booked)} in the ledger`,
      )
    const entries = checked.reduce((all, one) => all + one.entries, 0)
    const verdict = wrong.length === 0 ? terminal.paint('All agree', 'good') : `${wrong.length} differ`
    terminal.print(
      `${verdict}: ${countOf(checked.length, 'limit')} against ${countOf(entries, 'entry', 'entries')} of the ledger.`,
    )
  }
  if (wrong.length > 0) end(1)
}

/** Limits on money that have a state of their own. */
async function moneyLimits(session: Session): Promise<{ path: string; label: string }[]> {
  const org = orgPath(session)
  const budgets = await session.client.all(`${org}/budgets`)
  const customers = await session.client.all(`${org}/customer-limits`)
  const cap = await session.client.get(`${org}/spend-cap`)
  return [
    ...(cap['id'] === null ? [] : [{ path: `${org}/spend-cap`, label: 'spend cap' }]),
    ...budgets.map((row) => ({ path: `${org}/budgets/${textOf(row, 'id')}`, label: `budget ${textOf(row, 'name')}` })),
    ...customers.map((row) => ({
      path: `${org}/customers/${encodeURIComponent(textOf(row, 'customer_id'))}/limit`,
      label: `customer ${textOf(row, 'customer_id')}`,
    })),
  ]
}

const rounds = 5

/** Sums the ledger of a limit. Where money moved meanwhile, it is summed again. */
async function checkLimit(
  session: Session,
  path: string,
  label: string,
  progress: (entries: number) => void,
): Promise<Checked> {
  for (let round = 1; ; round += 1) {
    const before = await session.client.get(path)
    const sums = await sumLedger(session, before, progress)
    const after = await session.client.get(path)
    const shown = { spent: textOf(after, 'spent_usd'), held: textOf(after, 'held_usd') }
    const isStill = shown.spent === textOf(before, 'spent_usd') && shown.held === textOf(before, 'held_usd')
    const agrees = nanoUsd(shown.spent) === sums.spent && nanoUsd(shown.held) === sums.held
    if (!agrees && !isStill && round < rounds) continue
    return {
      limit: textOf(after, 'id'),
      label,
      entries: sums.entries,
      spent: { shown: shown.spent, booked: usdOfNanos(sums.spent) },
      held: { shown: shown.held, booked: usdOfNanos(sums.held) },
      agrees,
    }
  }
}

async function sumLedger(session: Session, limit: Json, progress: (entries: number) => void) {
  const sums = { entries: 0, spent: 0n, held: 0n }
  const id = textOf(limit, 'id')
  const query = { limit_id: id, from: textOf(limit, 'period_start'), max_changes: 50 }
  for await (const entry of session.client.rows<JournalEntry>(`${orgPath(session)}/ledger`, query)) {
    sums.entries += 1
    if (sums.entries % 1_000 === 0) progress(sums.entries)
    for (const change of entry.changes) {
      if (change.limit_id !== id || change.period_start !== limit['period_start']) continue
      sums.spent += nanoUsd(String(change.spent))
      sums.held += nanoUsd(String(change.held))
    }
  }
  return sums
}

interface Head {
  readonly seq: string
  readonly mac: string
}

/** A head that somebody has kept, with the day of its entry, by which it is found again. */
interface KeptHead extends Head {
  readonly day: string
}

async function auditVerify({ terminal, isJson, session, end }: Context, { head }: { head?: string }) {
  const kept = head === undefined ? undefined : headOf(head)
  const opened = await session()
  const found = await verifyLog(opened, (line) => terminal.progress(line))
  const lost = found.valid && kept ? await findLostHead(opened, kept, found.head) : undefined
  const isValid = found.valid && lost === undefined
  const keep = isValid && found.head ? await keepableHead(opened, found.head) : undefined
  if (isJson) terminal.json({ ...found, valid: isValid, keep, ...(lost !== undefined && { lost_head: lost }) })
  else if (!found.valid)
    terminal.print(
      `${terminal.paint('Broken', 'bad')} at entry ${found.first_bad?.seq ?? '?'}: ${cleanLine(found.first_bad?.reason ?? '')}`,
    )
  else if (lost !== undefined) terminal.print(`${terminal.paint('Broken', 'bad')}: ${lost}`)
  else {
    terminal.print(`${terminal.paint('Whole', 'good')}: ${countOf(found.entries, 'entry', 'entries')}.`)
    if (keep !== undefined) terminal.print(`Keep this head, to check later that nothing was taken back: ${keep}`)
  }
  if (!isValid) end(1)
}

function headOf(text: string): KeptHead {
  const [, seq, mac, day] = /^(\d+):([0-9a-f]{16,128}):(\d{4}-\d{2}-\d{2})$/.exec(text) ?? []
  if (seq !== undefined && mac !== undefined && day !== undefined && !Number.isNaN(Date.parse(day)))
    return { seq, mac, day }
  throw new Fault('usage', `"${text}" is no head`, 'It is seq:mac:day, as this command prints it.')
}

const auditPath = (session: Session) =>
  session.orgId === undefined ? '/v1/admin/audit-log' : `${orgPath(session)}/audit-log`

async function verifyLog(session: Session, onProgress: (line: string) => void) {
  let entries = 0
  let cursor: string | undefined
  for (;;) {
    const page = await session.client.get<AuditVerification>(`${auditPath(session)}/verify`, { cursor })
    entries += page.entries
    onProgress(`${entries} entries`)
    if (!page.valid || page.next_cursor === null) return { ...page, entries }
    cursor = page.next_cursor
  }
}

/** Returns why a head that was kept is no longer part of the log. The export carries the hash of every entry. */
async function findLostHead(session: Session, kept: KeptHead, head: Head | null): Promise<string | undefined> {
  if (head === null || BigInt(head.seq) < BigInt(kept.seq)) return `the log ends before entry ${kept.seq}, which it had`
  const found = head.seq === kept.seq ? head.mac : await macInExport(session, kept)
  if (found === kept.mac) return undefined
  return `entry ${kept.seq} is ${found === undefined ? 'gone' : 'another one now'}`
}

const dayMs = 24 * 60 * 60 * 1_000

async function macInExport(session: Session, { seq, day }: KeptHead): Promise<string | undefined> {
  const to = new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10)
  for await (const line of session.client.lines(`${auditPath(session)}/export`, { from: day, to })) {
    const entry: unknown = line === '' ? undefined : JSON.parse(line)
    if (textOf(entry, 'seq') === seq) return textOf(entry, 'mac')
  }
  return undefined
}

/** Returns a head as it is to be kept: with the day of its entry, among the latest. */
async function keepableHead(session: Session, { seq, mac }: Head): Promise<string | undefined> {
  const { data } = await session.client.get(auditPath(session), { sort: '-created_at', limit: 200 })
  const entry = recordsOf(data).find((row) => textOf(row, 'seq') === seq)
  return entry && `${seq}:${mac}:${new Date(textOf(entry, 'created_at')).toISOString().slice(0, 10)}`
}
