import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CloudServer, startCloud, type Verdict } from '../../test/support/cloud-server.ts'
import { googleAccount, type IssuedTokens, judgeClaim } from '../../test/support/google.ts'
import { GoogleToken } from './google-token.ts'

let nowMs = 1_790_000_000_000
const clock = { monotonicMs: () => nowMs, wallMs: () => nowMs }
const account = googleAccount()
const issued: IssuedTokens = new Map()
let fault: Verdict | undefined
let server: CloudServer

beforeAll(async () => {
  server = await startCloud(
    (request) => fault ?? judgeClaim(account, issued, 3_600, request, nowMs),
    () => '',
    false,
  )
})
afterAll(() => server.stop())

const tokenOf = (env: NodeJS.ProcessEnv) => new GoogleToken({ env: 'ACCOUNT' }, env, clock)
const tokenUrl = () => `${server.url}/token`

test('a token is had once for all that wait for it, kept, renewed ahead, and never used after its end', async () => {
  const token = tokenOf({ ACCOUNT: account.file(tokenUrl()) })
  const first = await Promise.all([token.value(), token.value(), token.value()])
  expect(new Set(first).size).toBe(1)
  expect(issued.has(first[0])).toBe(true)
  expect(server.arrived.length).toBe(1)

  nowMs += 3_299_000
  expect(await token.value()).toBe(first[0])
  expect(server.arrived.length).toBe(1)

  nowMs += 2_000
  expect(await token.value()).toBe(first[0])
  await expect.poll(() => token.value()).not.toBe(first[0])
  expect(server.arrived.length).toBe(2)

  const second = await token.value()
  nowMs += 3_400_000
  fault = { status: 500, body: { error: 'backend' } }
  // Nobody waits for a renewal ahead of time, and nobody minds when it fails.
  expect(await token.value()).toBe(second)
  await expect.poll(() => server.arrived.length).toBe(3)
  nowMs += 300_000
  await expect(token.value()).rejects.toThrow(/^the token server answered 500, and no token$/)
  fault = undefined
  expect(await token.value()).not.toBe(second)
})

test('a claim that the token server refuses is an error that shows nothing of the key', async () => {
  const other = googleAccount(account.email)
  const said = await tokenOf({ ACCOUNT: other.file(tokenUrl()) })
    .value()
    .catch((error: unknown) => String(error))
  expect(said).toBe('Error: the token server answered 400, and no token')
})
