import { beforeAll, describe, expect, test } from 'vitest'
import { auditKeyring, verifyAudit, verifyExport } from '../../src/access/audit/audit.ts'
import { requireId } from '../../src/values/id.ts'
import { costing, type MoneyOrg, useMoney } from '../support/money.ts'
import { call } from '../support/tenants.ts'

const money = useMoney()
let org: MoneyOrg
beforeAll(async () => {
  org = await money.org()
})

const send = (method: string, path: string, body: object | undefined, reason: string) =>
  call(money.server.url, method, `/v1/orgs/${org.id}${path}`, {
    key: org.key,
    ...(body && { body }),
    headers: { 'x-svc-reason': reason },
  })

const entriesOf = async (targetId: string) => {
  const { json } = await org.ask('GET', `/audit-log?target_id=${targetId}`)
  return json['data'] as { action: string; reason: string | null }[]
}

const budget = { name: 'Pilot', scope_kind: 'org', period: 'month', limit_usd: '100' }

describe('the reason of a change', () => {
  test('is in its entry of the audit log, decoded; a change without one has null', async () => {
    const made = await send('POST', '/budgets', budget, 'F%C3%BCr den Piloten, 100%25')
    expect(made.status).toBe(201)
    const id = String(made.json['id'])
    await org.ask('PATCH', `/budgets/${id}`, { limit_usd: '120' })
    await send('PATCH', `/budgets/${id}`, { limit_usd: '140' }, 'Two more customers')
    expect((await send('DELETE', `/budgets/${id}`, undefined, 'Over')).status).toBe(204)
    expect((await entriesOf(id)).map(({ reason }) => reason)).toEqual([
      'Für den Piloten, 100%',
      null,
      'Two more customers',
      'Over',
    ])
  })

  test('that is malformed is refused, and nothing is changed', async () => {
    const { json } = await org.ask('POST', '/budgets', budget)
    const id = String(json['id'])
    const refused = await send('PATCH', `/budgets/${id}`, { limit_usd: '7' }, '100% sure')
    expect(refused).toMatchObject({
      status: 422,
      json: { error: { code: 'validation_failed', details: { fields: [{ field: 'X-Svc-Reason' }] } } },
    })
    expect((await org.ask('GET', `/budgets/${id}`)).json['limit_usd']).toBe('100')
    expect(await entriesOf(id)).toHaveLength(1)
  })

  test('is ignored where nothing is changed: a read, and a decision', async () => {
    expect((await send('GET', '/budgets', undefined, '100%')).status).toBe(200)
    const decision = await call(money.server.url, 'POST', '/v1/edge/decision', {
      key: org.key,
      body: costing('0.01'),
      headers: { 'x-svc-reason': '100%' },
    })
    expect(decision.status).toBe(200)
  })

  test('is in every format of the export, and part of what the seal of the entry covers', async () => {
    await send('POST', '/budgets', budget, 'Exported reason')
    const exported = async (format: string) => (await org.ask('GET', `/audit-log/export?format=${format}`)).text
    for (const format of ['ndjson', 'csv', 'cef', 'ocsf']) expect(await exported(format)).toContain('Exported reason')
    const { config, sql } = money.server.platform
    const keyring = auditKeyring(config.masterKeys())
    const lines = (await exported('ndjson')).split('\n')
    async function* read(texts: readonly string[]) {
      yield* texts
    }
    expect(await verifyExport(read(lines), keyring)).toMatchObject({ valid: true })
    const forged = lines.map((line) => line.replace('Exported reason', 'Another reason'))
    expect(await verifyExport(read(forged), keyring)).toMatchObject({ first_bad: { reason: 'bad_seal' } })
    const withoutOne = lines.map((line) => line.replace('"reason":"Exported reason"', '"reason":null'))
    expect(await verifyExport(read(withoutOne), keyring)).toMatchObject({ first_bad: { reason: 'bad_seal' } })
    expect(await verifyAudit(sql, keyring, requireId('org', org.id))).toMatchObject({ valid: true })
  })
})
