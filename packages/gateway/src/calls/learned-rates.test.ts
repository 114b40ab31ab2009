import { expect, test } from 'vitest'
import { LearnedRates, type Lesson } from './learned-rates.ts'

const rated = { provider: 'anthropic', model: 'claude-sonnet-4-5' }
const lesson: Lesson = {
  billedInput: 100,
  billedOutput: 200,
  shownOutput: 200,
  pieces: 201,
  shownSeconds: 2,
  seconds: 2,
}

function taught(...lessons: readonly Partial<Lesson>[]): LearnedRates {
  const rates = new LearnedRates()
  for (let i = 0; i < 25; i += 1) rates.learn(rated, { ...lesson, ...lessons[i % lessons.length] })
  return rates
}

test('a pace is the highest that was seen', () => {
  expect(taught({}).tokensPerSecond(rated)).toBeCloseTo(100)
  expect(taught({}, { shownSeconds: 4, seconds: 4 }).tokensPerSecond(rated)).toBeCloseTo(100)
})

test('a pause before the first piece does not make the pace a slow one', () => {
  expect(taught({ seconds: 8 }).tokensPerSecond(rated)).toBeCloseTo(100, 0)
})

test('reasoning that took its time unseen is no part of the pace of what was shown', () => {
  const thinking = { billedOutput: 1_000, shownOutput: 200, seconds: 10 }
  expect(taught(thinking).tokensPerSecond(rated)).toBeCloseTo(100)
  expect(taught({ ...thinking, shownOutput: undefined }).tokensPerSecond(rated)).toBeCloseTo(100)
})

test('one provider says nothing of the pace of another', () => {
  expect(taught({}).tokensPerSecond({ ...rated, provider: 'bedrock' })).toBe(200)
})

test('answers are counted at first, and then one in a while', () => {
  const rates = new LearnedRates()
  const counted = Array.from({ length: 100 }, () => rates.wantsCount(rated, 1_000)).filter(Boolean).length
  expect(counted).toBe(20)
  expect(rates.wantsCount(rated, 60_000)).toBe(true)
})

test('nobody teaches a gateway that a model is slow, by answers that are slow for other reasons', () => {
  const slow = { billedInput: 200_000, billedOutput: 50, shownOutput: 50, events: 50, shownPieces: 51 }
  expect(taught({ ...slow, shownSeconds: 60, seconds: 60 }).tokensPerSecond(rated)).toBeGreaterThanOrEqual(100)
})
