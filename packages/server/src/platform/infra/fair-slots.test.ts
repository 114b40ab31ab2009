import { describe, expect, test } from 'vitest'
import { FairSlots, NoSlot } from './fair-slots.ts'

const slotsOf = (limits: { total?: number; perOrg?: number; maxWaitingPerOrg?: number; maxWaitMs?: number } = {}) => {
  const { total = 2, perOrg = 2, maxWaitingPerOrg = 10, maxWaitMs = 60_000 } = limits
  return new FairSlots({ total, perOrg: () => perOrg, maxWaitingPerOrg, maxWaitMs })
}

/** The order in which callers are admitted. */
function recorder(slots: FairSlots) {
  const admitted: string[] = []
  return {
    admitted,
    enter: (orgId: string, name = orgId) => slots.enter(orgId).then(() => void admitted.push(name)),
  }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('places of organizations', () => {
  test('are never more than there are, nor more than one may have', async () => {
    const slots = slotsOf({ total: 3, perOrg: 2 })
    const { admitted, enter } = recorder(slots)
    for (const name of ['a', 'a', 'a', 'b', 'b']) void enter(name)
    await settled()
    expect(admitted).toEqual(['a', 'a', 'b'])
    slots.leave('a')
    await settled()
    expect(admitted).toHaveLength(4)
    expect(slots.inUse).toBe(3)
  })

  test('are given in turns: who has a long line waits for itself', async () => {
    const slots = slotsOf({ total: 1, perOrg: 1 })
    const { admitted, enter } = recorder(slots)
    for (let i = 0; i < 5; i++) void enter('loud')
    void enter('quiet')
    await settled()
    for (const orgId of ['loud', 'loud', 'quiet']) {
      slots.leave(orgId)
      await settled()
    }
    expect(admitted.slice(0, 3)).toEqual(['loud', 'loud', 'quiet'])
    expect(slots.waiting).toBe(2)
  })

  test('keep the order of one organization, also of one that comes while others wait', async () => {
    const slots = slotsOf({ total: 1, perOrg: 1 })
    const { admitted, enter } = recorder(slots)
    for (const name of ['1', '2', '3']) void enter('a', name)
    slots.leave('a')
    expect(slots.tryEnter('a')).toBe(false)
    await settled()
    slots.leave('a')
    await settled()
    expect(admitted).toEqual(['1', '2', '3'])
  })

  test('are refused at once where the line is full, and after a time where it does not move', async () => {
    const slots = slotsOf({ total: 1, maxWaitingPerOrg: 1, maxWaitMs: 20 })
    await slots.enter('a')
    const waiting = slots.enter('a')
    await expect(slots.enter('a')).rejects.toThrow(NoSlot)
    await expect(waiting).rejects.toThrow(NoSlot)
    expect(slots.waiting).toBe(0)
    slots.leave('a')
    expect(slots.inUse).toBe(0)
    expect(slots.tryEnter('a')).toBe(true)
  })

  test('are not kept for callers that hang up', async () => {
    const slots = slotsOf({ total: 1 })
    await slots.enter('a')
    const caller = new AbortController()
    const waiting = slots.enter('a', caller.signal)
    caller.abort()
    await expect(waiting).rejects.toThrow(NoSlot)
    slots.leave('a')
    expect([slots.inUse, slots.waiting]).toEqual([0, 0])
  })
})
