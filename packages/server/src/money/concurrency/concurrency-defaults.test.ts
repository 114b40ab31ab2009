import { describe, expect, test } from 'vitest'
import { costing, type MoneyOrg, useMoney } from '../../../test/support/money.ts'

type Body = Record<string, unknown>

describe('a default concurrency limit', () => {
  const money = useMoney()
  const start = async (org: MoneyOrg, more: Body) => {
    const { status, json } = await org.post('/v1/runs', costing('0.1', more))
    return status === 201 ? String(json['id']) : `${json.error?.code} ${String(json.error?.details['scope_kind'])}`
  }
  const isRun = expect.stringMatching(/^run_/) as string

  test.each(['customer', 'user', 'department'])(
    'binds each %s for itself, but those with one of their own',
    async (scope) => {
      const org = await money.org()
      const set = await org.set('PUT', `/concurrency-defaults/${scope}`, { max_runs: 1 })
      await org.set('POST', '/concurrency-limits', { name: 'two', scope_kind: scope, scope_id: 'b', max_runs: 2 })
      const run = (id: string) => start(org, { [`${scope}_id`]: id })
      const first = await run('a')
      expect(first).toEqual(isRun)
      expect(await run('a')).toBe(`concurrency_exceeded ${scope}`)
      expect(await run('c')).toEqual(isRun)
      expect([await run('b'), await run('b')]).toEqual([isRun, isRun])
      expect(await run('b')).toBe(`concurrency_exceeded ${scope}`)
      await org.post(`/v1/runs/${first}/finish`, { status: 'succeeded', cost_usd: '0.1' })
      expect(await run('a')).toEqual(isRun)
      expect(await org.events('concurrency_limit.reached')).toMatchObject([
        { concurrency_limit_id: set['id'], scope_kind: scope, scope_id: 'a', max_runs: 1 },
        { scope_kind: scope, scope_id: 'b', max_runs: 2 },
      ])
    },
  )

  test('binds each key for itself', async () => {
    const org = await money.org()
    await org.set('PUT', '/concurrency-defaults/key', { max_runs: 1 })
    expect(await start(org, {})).toEqual(isRun)
    expect(await start(org, {})).toBe('concurrency_exceeded key')
  })

  test('is set, read, changed and removed', async () => {
    const org = await money.org()
    const path = '/concurrency-defaults/user'
    expect((await org.ask('GET', path)).json).toMatchObject({ id: null, scope_kind: 'user', max_runs: null })
    const set = await org.set('PUT', path, { max_runs: 1 })
    expect((await org.ask('GET', '/concurrency-defaults')).json).toEqual({ data: [set] })
    expect(await org.set('PATCH', path, { max_runs: 3 })).toMatchObject({ id: set['id'], max_runs: 3 })
    expect((await org.ask('DELETE', path)).status).toBe(204)
    expect((await org.ask('DELETE', path)).status).toBe(404)
    expect((await org.ask('PUT', '/concurrency-defaults/tag', { max_runs: 1 })).status).toBe(404)
  })
})
