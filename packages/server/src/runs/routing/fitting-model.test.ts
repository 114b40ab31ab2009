import { expect, test } from 'vitest'
import { ApiError } from '../../contract/errors.ts'
import type { Eligible } from './choice.ts'
import { suggestFittingModel } from './fitting-model.ts'

const eligible = (model: string, provider: string | null = null): Eligible => ({
  model: { model, provider, region: null, capabilities: [], contextTokens: null, latencyMs: null, enabled: true },
  quotedNano: 1n,
  score: null,
  latencyMs: null,
})
const refused = () => new ApiError('credits_exhausted', { available_usd: '1', attempted_usd: '2' })

test('the first cheaper model that every limit has room for is named', async () => {
  const error = refused()
  const asked: string[] = []
  await suggestFittingModel(
    error,
    () => [eligible('a'), eligible('b', 'azure'), eligible('c')],
    async ({ model }) => {
      asked.push(model.model)
      return model.model !== 'a'
    },
  )
  expect(error.details).toEqual({ available_usd: '1', attempted_usd: '2', fits: 'azure/b' })
  expect(asked).toEqual(['a', 'b'])
})

test('where none fits nothing is named', async () => {
  const error = refused()
  await suggestFittingModel(
    error,
    () => [eligible('a')],
    async () => false,
  )
  expect(error.details).toEqual({ available_usd: '1', attempted_usd: '2' })
})

test('a search that fails leaves the refusal as it is', async () => {
  const error = refused()
  await suggestFittingModel(
    error,
    () => [eligible('a')],
    () => Promise.reject(new ApiError('service_unavailable')),
  )
  await suggestFittingModel(
    error,
    () => {
      throw new Error('no')
    },
    async () => true,
  )
  expect(error.details).toEqual({ available_usd: '1', attempted_usd: '2' })
})

test('only what money refused is searched for', async () => {
  const others: unknown[] = [
    new Error('broken'),
    new ApiError('service_unavailable'),
    new ApiError('validation_failed', { fields: [] }),
    new ApiError('rate_limited', { retry_after_seconds: 1 }),
    new ApiError(
      'quota_exhausted',
      { quota_kind: 'day', limit: 1, used: 1, attempted: 1, resets_at: null },
      { status: 429 },
    ),
  ]
  const searched: unknown[] = []
  for (const error of others)
    await suggestFittingModel(
      error,
      () => {
        searched.push(error)
        return [eligible('a')]
      },
      async () => true,
    )
  expect(searched).toEqual([])
})
