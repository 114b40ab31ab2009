import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { verifyWebhook } from '../src/webhooks.ts'

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 4).toString('base64')}`
const organizationSecret = 'whorg_shared'
const body = JSON.stringify({ id: 'evt_1', type: 'webhook.test', data: {} })
const nowSeconds = 1_800_000_000
const hex = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')
const version2 = (key = secret, text = body, at = nowSeconds) => ({
  'X-Svc-Signature': `t=${at},v1=${hex(key, `${at}.${text}`)}`,
})
const standard = (key = secret) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(nowSeconds),
  'webhook-signature': new Webhook(key).sign('evt_1', new Date(nowSeconds * 1_000), body),
})
const version1 = { 'x-svc-signature': `v1=${hex(organizationSecret, body)}` }
const verify = (headers: Record<string, string>, more: object = {}) =>
  verifyWebhook({ body, headers, secret, nowSeconds, ...more })

describe('a delivery is genuine', () => {
  test.each<[string, Record<string, string>, object]>([
    ['signed by version 2', version2(), {}],
    ['with its body as bytes', version2(), { body: new TextEncoder().encode(body) }],
    [
      'after a rotation, under the old secret too',
      { 'x-svc-signature': `${version2(other)['X-Svc-Signature']},v1=${hex(secret, `${nowSeconds}.${body}`)}` },
      {},
    ],
    ['where the receiver knows two secrets', version2(other), { secret: [secret, other] }],
    ['signed by Standard Webhooks', standard(), {}],
    ['signed by version 1, where its secret is given', version1, { organizationSecret }],
    ['at the end of the tolerance', version2(secret, body, nowSeconds - 300), {}],
  ])('%s', async (_, headers, more) => {
    expect(await verify(headers, more)).toMatchObject({ type: 'webhook.test' })
    expect(await verifyWebhook({ body, secret, nowSeconds, ...more, headers: new Headers(headers) })).toBeDefined()
  })
})

describe('a delivery is not genuine', () => {
  test.each<[string, Record<string, string>, object, string]>([
    ['without a signature', {}, {}, 'missing_header'],
    ['signed with another secret', version2(other), {}, 'no_match'],
    ['with another body', version2(), { body: `${body} ` }, 'no_match'],
    ['that is too old', version2(secret, body, nowSeconds - 301), {}, 'outside_tolerance'],
    ['of the future', version2(secret, body, nowSeconds + 301), {}, 'outside_tolerance'],
    ['with a time that is none', { 'x-svc-signature': `t=1e9,v1=${hex(secret, `1e9.${body}`)}` }, {}, 'missing_header'],
    [
      'with a time that was changed',
      { 'x-svc-signature': version2()['X-Svc-Signature'].replace(`t=${nowSeconds}`, `t=${nowSeconds - 1}`) },
      {},
      'no_match',
    ],
    ['with half of a signature', { 'x-svc-signature': version2()['X-Svc-Signature'].slice(0, -32) }, {}, 'no_match'],
    ['with an empty secret', version2(''), { secret: '' }, 'no_match'],
    ['signed by version 1, where only the subscription’s secret is given', version1, {}, 'missing_header'],
    ['signed by Standard Webhooks with another secret', standard(other), {}, 'no_match'],
    ['of Standard Webhooks with another id', { ...standard(), 'webhook-id': 'evt_2' }, {}, 'no_match'],
    ['of Standard Webhooks without a time', { ...standard(), 'webhook-timestamp': '' }, {}, 'missing_header'],
  ])('%s', async (_, headers, more, reason) => {
    await expect(verify(headers, more)).rejects.toMatchObject({ code: 'webhook_not_genuine', details: { reason } })
  })
})
