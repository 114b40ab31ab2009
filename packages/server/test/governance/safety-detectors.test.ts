import { describe, expect, test } from 'vitest'
import { detectors } from '../../src/governance/safety/detectors.ts'
import { compileSafety, inspect } from '../../src/governance/safety/safety.ts'
import { withDetectorDefaults } from '../../src/governance/safety/settings.ts'
import { detectorCases } from '../support/detector-cases.ts'

const least = 0.95
const leastCases = 25

/** The texts of a table that a detector fires on. */
async function firing(detector: string, texts: readonly string[]): Promise<string[]> {
  const check = compileSafety(withDetectorDefaults({ detectors: { [detector]: { mode: 'alert' } } }))
  const fired: string[] = []
  for (const text of texts) if ((await inspect(check, text)).length > 0) fired.push(text)
  return fired
}

describe.each(detectors.map(({ name }) => name))('%s', (detector) => {
  const { positive, negative } = detectorCases[detector]!

  test('finds what is published as one, and leaves alone what only looks like it', async () => {
    expect(new Set(positive).size).toBeGreaterThanOrEqual(leastCases)
    expect(new Set(negative).size).toBeGreaterThanOrEqual(leastCases)
    const hits = await firing(detector, positive)
    const falseAlarms = await firing(detector, negative)
    const recall = hits.length / positive.length
    const precision = hits.length / (hits.length + falseAlarms.length)
    console.log(
      `${detector}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)} on ${positive.length} + ${negative.length}`,
    )
    const missed = positive.filter((text) => !hits.includes(text))
    expect(recall, `missed: ${missed.join(' | ')}`).toBeGreaterThanOrEqual(least)
    expect(precision, `false alarms: ${falseAlarms.join(' | ')}`).toBeGreaterThanOrEqual(least)
    if (missed.length + falseAlarms.length > 0) console.log({ missed, falseAlarms })
  })
})
