import { describe, expect, test } from 'vitest'
import { judgedByProgress } from './recovery.ts'

const call = { externalId: 'gw:1', runId: 'run_1', model: 'gpt-4o', inputTokens: 500, outputTokens: 4_000 }
const outputOf = (seen: Parameters<typeof judgedByProgress>[1], endedByMs?: number) =>
  judgedByProgress(call, seen, endedByMs).usage?.output_tokens

describe('a call that a killed process left open', () => {
  const seen = { outputTokens: 300, atMs: 10_000, perSecond: 100, unseenTokens: 60 }

  test('is charged for all that can have come until the process ended, however late its last note was', () => {
    expect(outputOf(seen, 10_100)).toBe(300 + 10 + 20)
    expect(outputOf(seen, 13_000)).toBe(300 + 300 + 20)
  })

  test('is charged never more than was held', () => {
    expect(outputOf(seen, 900_000)).toBe(4_000)
  })

  test('is charged by its last note alone where nobody knows when the process ended, as after a reboot', () => {
    expect(outputOf(seen)).toBe(360)
    expect(outputOf({ outputTokens: 300, unseenTokens: 60 }, 13_000)).toBe(360)
    expect(outputOf(undefined)).toBe(200)
  })
})
