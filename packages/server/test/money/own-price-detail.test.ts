import { describe, expect, test } from 'vitest'
import { type MoneyOrg, useMoney } from '../support/money.ts'

const money = useMoney()

const entry = {
  model: 'ours',
  input_usd_per_million: '1',
  output_usd_per_million: '2',
  cache_write_usd_per_million: '1.5',
  other_usd_per_million: { cache_write_1h: '3', input_audio: '10', output_image: '40' },
  tiers: [
    {
      above_input_tokens: 1_000_000,
      input_usd_per_million: '2',
      output_usd_per_million: '4',
      other_usd_per_million: { input_audio: '20' },
    },
  ],
  units_usd: { request: '0.5', web_search: '0.01' },
  multipliers: { priority: '1.5', batch: '0.25' },
}
const million = 1_000_000
const asked = { model: 'ours', input_tokens: million, max_output_tokens: million }
const used = { input_tokens: million, output_tokens: million }

async function ended(org: MoneyOrg, end: object, more: object = {}) {
  const { json: run } = await org.post('/v1/runs', { ...asked, ...more })
  const { json } = await org.post(`/v1/runs/${String(run['id'])}/finish`, { status: 'succeeded', ...end })
  return { held: run['reserved_usd'], cost: json['cost_usd'], basis: json['cost_basis'] }
}

async function priced() {
  const org = await money.org()
  await org.set('PUT', '/prices', { prices: [entry] })
  return org
}

describe('an entry of one’s own', () => {
  test.each([
    ['plain tokens', used, '3.5'],
    ['searches', { ...used, units: { web_search: 3 } }, '3.53'],
    [
      'a write for an hour',
      { ...used, cache_creation_input_tokens: million, cache_creation_1h_input_tokens: million },
      '5.5',
    ],
    ['audio', { ...used, audio_input_tokens: million }, '12.5'],
    ['images', { ...used, image_output_tokens: million }, '41.5'],
    ['long input', { ...used, input_tokens: 2 * million }, '8.5'],
    ['long audio', { ...used, input_tokens: 2 * million, audio_input_tokens: 2 * million }, '44.5'],
    ['a tier of service', { ...used, service_tier: 'batch' }, '1.25'],
    ['a dearer one', { ...used, service_tier: 'priority' }, '5'],
    ['one that it says nothing of', { ...used, service_tier: 'flex' }, '3.5'],
  ])('prices %s', async (_what, end, usd) => {
    expect(await ended(await priced(), end)).toMatchObject({ cost: usd, basis: 'computed' })
  })

  test('is held at the dearest that can apply', async () => {
    const org = await priced()
    expect(await ended(org, used)).toMatchObject({ held: '50.5' })
    expect(await ended(org, used, { service_tier: 'priority' })).toMatchObject({ held: '75.5' })
    expect(await ended(org, used, { service_tier: 'batch' })).toMatchObject({ held: '50.5', cost: '1.25' })
  })

  test('is read back as it was set, and changed field by field', async () => {
    const org = await priced()
    const { json } = await org.ask('GET', '/prices')
    const [stored] = json['prices'] as [{ id: string }]
    const tier = { ...entry.tiers[0], cache_read_usd_per_million: '2', cache_write_usd_per_million: '2' }
    expect(stored).toMatchObject({ ...entry, tiers: [tier] })
    const path = `/prices/${stored.id}`
    await org.set('PATCH', path, { units_usd: { web_search: '1' } })
    expect((await org.ask('GET', path)).json).toMatchObject({ ...entry, tiers: [tier], units_usd: { web_search: '1' } })
    expect(await ended(org, { ...used, units: { web_search: 1 } })).toMatchObject({ cost: '4' })
    const {
      tiers: _tiers,
      multipliers: _multipliers,
      units_usd: _units,
      other_usd_per_million: _other,
      ...plain
    } = entry
    await org.set('PUT', path, plain)
    expect((await org.ask('GET', path)).json).toMatchObject({
      tiers: [],
      multipliers: {},
      units_usd: {},
      other_usd_per_million: {},
    })
    expect(await ended(org, { ...used, service_tier: 'priority' })).toMatchObject({ held: '3.5', cost: '6' })
  })

  test.each([
    [{ tiers: [...entry.tiers, ...entry.tiers] }, 'tiers.1.above_input_tokens'],
    [{ tiers: [{ ...entry.tiers[0], above_input_tokens: 0 }] }, 'tiers.0.above_input_tokens'],
    [{ units_usd: { web_search: '1000001' } }, 'units_usd.web_search'],
    [{ units_usd: { web_search: '-1' } }, 'units_usd.web_search'],
    [{ multipliers: { priority: '-2' } }, 'multipliers.priority'],
    [{ multipliers: { standard: '0' } }, 'multipliers.standard'],
    [{ other_usd_per_million: { cache_write_1h: '-1' } }, 'other_usd_per_million.cache_write_1h'],
  ])('with %j is refused', async (more, field) => {
    const org = await money.org()
    const one = await org.ask('POST', '/prices', { ...entry, ...more })
    const all = await org.ask('PUT', '/prices', { prices: [{ ...entry, ...more }] })
    const fieldsOf = ({ json }: { json: Record<string, unknown> }) =>
      (json as { error?: { details: { fields: { field: string }[] } } }).error?.details.fields.map((each) => each.field)
    expect([one.status, fieldsOf(one)]).toEqual([422, [field]])
    expect([all.status, fieldsOf(all)]).toEqual([422, [`prices.0.${field}`]])
  })
})
