import { expect, test } from 'vitest'
import { createSharedReads } from './shared-reads.ts'

const caller = { kind: 'person', orgId: 'o', role: 'viewer', scopes: new Set<string>(), pins: {} } as const
const path = '/v1/orgs/{id}/budgets'

/** Reads as somebody whose page has heard of a revision; returns whether the API was asked. */
function readerOf(text: string) {
  let nowMs = 0
  const reads = createSharedReads(() => nowMs)
  return {
    pass: (ms: number) => {
      nowMs += ms
    },
    isAsked: async (revision: number) => {
      let asked = false
      const share = reads.of({ headers: { 'x-weir-revision': String(revision).padStart(16, '0') } }, caller)
      const answer = await share!(path, '/v1/orgs/o/budgets', async () => {
        asked = true
        return text
      })
      expect(answer).toBe(text)
      return asked
    },
  }
}

test('an answer is shared for a while', async () => {
  const reader = readerOf('{}')
  expect([await reader.isAsked(1), await reader.isAsked(1)]).toEqual([true, false])
  reader.pass(15_000)
  expect(await reader.isAsked(1)).toBe(true)
})

test('answers are kept up to a bound of their length, whoever makes revisions up', async () => {
  const reader = readerOf('x'.repeat(1_000_000))
  for (let revision = 0; revision < 30; revision++) await reader.isAsked(revision)
  expect([await reader.isAsked(29), await reader.isAsked(0)]).toEqual([false, true])
})
