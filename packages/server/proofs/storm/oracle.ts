import { requireId } from '../../src/values/id.ts'
import { parseUsd } from '../../src/values/money.ts'
import type { Books } from './books.ts'
import { type Entry, isUncertain } from './clients.ts'

const expectedStatuses: Record<string, readonly number[]> = {
  decide: [200, 402],
  settle: [200],
  release: [200],
  extend: [200],
  raise: [200, 402],
}

/** What clients were told against what is on the books: nothing that was acknowledged is lost, nothing is there that nobody sent. */
export function faultsOfAnswers(log: readonly Entry[], { holds, movements }: Books): string[] {
  const faults: string[] = []
  const settleMovements = new Map<string, number>()
  for (const { kind, hold_id } of movements)
    if (kind === 'settle') settleMovements.set(hold_id, (settleMovements.get(hold_id) ?? 0) + 1)

  const calls = new Map<number, { answers: Set<string>; key: string | undefined }>()
  const sent = new Map<string, { costs: Set<bigint>; released: boolean }>()
  const ends = (holdId: string) => {
    const known = sent.get(holdId) ?? { costs: new Set(), released: false }
    sent.set(holdId, known)
    return known
  }
  const raises = new Map<string, Set<bigint>>()
  for (const entry of log)
    if (entry.type === 'end' && entry.op === 'raise')
      raises.set(entry.holdId, (raises.get(entry.holdId) ?? new Set()).add(entry.costNano))
  for (const entry of log) {
    if (entry.type === 'decide') calls.set(entry.call, calls.get(entry.call) ?? { answers: new Set(), key: entry.key })
    else if (entry.type === 'decided') {
      if (!isUncertain(entry) && !expectedStatuses['decide']!.includes(entry.status))
        faults.push(`a decision was answered ${entry.status}: ${entry.text}`)
      if (entry.status !== 200) continue
      calls.get(entry.call)!.answers.add(entry.text)
      const { reservation_id, reserved_usd } = JSON.parse(entry.text) as {
        reservation_id: string
        reserved_usd: string
      }
      const hold = holds.get(requireId('reservation', reservation_id))
      if (!hold) faults.push(`call ${entry.call} was allowed, and ${reservation_id} is not there`)
      else if (
        hold.call !== entry.call ||
        (hold.amount_nano !== parseUsd(reserved_usd) && !raises.get(hold.id)?.has(hold.amount_nano))
      )
        faults.push(`call ${entry.call} was answered with the hold of call ${hold.call}`)
    } else if (entry.type === 'end') {
      if (entry.op === 'settle') ends(entry.holdId).costs.add(entry.costNano)
      if (entry.op === 'release') ends(entry.holdId).released = true
    } else {
      const { op, holdId, status, text } = entry
      const hold = holds.get(holdId)
      const isExtended = op === 'extend' || op === 'raise'
      const isOwnDoing = status === 409 && (op === 'release' ? ends(holdId).costs.size > 0 : isExtended)
      if (!isUncertain(entry) && !expectedStatuses[op]!.includes(status) && !isOwnDoing)
        faults.push(`${op} of ${holdId} was answered ${status}: ${text}`)
      if (status !== 200) continue
      const { status: stands, charged_usd } = JSON.parse(text) as { status: string; charged_usd: string | null }
      const mayBe = ends(holdId).costs.size > 0 ? ['released', 'settled'] : ['released']
      if (op === 'release' && stands === 'released' && !mayBe.includes(hold?.state ?? 'gone'))
        faults.push(`the release of ${holdId} was acknowledged, and it is ${hold?.state}`)
      if (op === 'raise' && (hold?.amount_nano ?? 0n) < entry.costNano)
        faults.push(`${holdId} was raised to ${entry.costNano}, and holds ${hold?.amount_nano}`)
      if (op !== 'settle') continue
      if (hold?.state !== 'settled' || settleMovements.get(holdId) !== 1)
        faults.push(
          `a settlement of ${holdId} was acknowledged, it is ${hold?.state} with ${settleMovements.get(holdId) ?? 0} settlements`,
        )
      else if (parseUsd(charged_usd!) !== hold.charged_nano)
        faults.push(`${holdId} was settled at ${charged_usd}, and stored as ${hold.charged_nano}`)
    }
  }
  for (const [call, { answers, key }] of calls)
    if (answers.size > 1) faults.push(`call ${call} under the key ${key} had ${answers.size} answers`)
  const held = new Map<number, string>()
  for (const { id, call, state, charged_nano } of holds.values()) {
    if (!calls.has(call)) faults.push(`hold ${id} belongs to no call`)
    if (held.has(call)) faults.push(`call ${call} is held twice: ${held.get(call)} and ${id}`)
    held.set(call, id)
    if (state === 'settled' && !sent.get(id)?.costs.has(charged_nano!))
      faults.push(`the settlement of ${id} at ${charged_nano} was sent by nobody`)
    if (state === 'released' && calls.get(call)!.answers.size > 0 && sent.get(id)?.released !== true)
      faults.push(`hold ${id} of call ${call} was answered as allowed, and released behind its caller's back`)
  }
  return faults
}

/** How often clients were answered what. */
export function answersOf(log: readonly Entry[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const entry of log) {
    if (entry.type !== 'decided' && entry.type !== 'ended') continue
    const code =
      entry.status >= 400
        ? (JSON.parse(entry.text) as { error: { code: string; details: { scope?: string } } }).error.code
        : ''
    const name = `${entry.type === 'decided' ? 'decide' : entry.op} ${entry.status || 'no answer'} ${code}`.trim()
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
