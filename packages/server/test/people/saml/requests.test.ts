import { beforeAll, expect, test } from 'vitest'
import type { ConnectionRow } from '../../../src/people/connections/connections.ts'
import { createSignIns, findEnabledConnection } from '../../../src/people/sso/sso.ts'
import { present } from '../../../src/values/present.ts'
import { useServer } from '../../support/harness.ts'
import { connect } from '../../support/oidc/visitor.ts'
import { operatorOf, tenantOf } from '../../support/tenants.ts'

/** Requests to SAML providers: nothing is stored of them, and yet an answer is to one of ours, in time, and the first. */
const server = useServer({})
let here: ConnectionRow
let elsewhere: ConnectionRow
beforeAll(async () => {
  const acme = await tenantOf(server, (await operatorOf(server)).key)
  const provider = { issuer: 'https://login.example.com', clientId: 'x', clientSecret: 'x' }
  const rowOf = async () => present(await findEnabledConnection(server.platform, await connect(server, acme, provider)))
  here = await rowOf()
  elsewhere = await rowOf()
  signIns = signInsOf()
})

const ada = { subject: 'ada', email: null, isEmailVerified: false, name: null, claims: {} }
/** The sign-ins of a process whose clock is some seconds ahead. */
const signInsOf = (seconds = 0) =>
  createSignIns({
    ...server.platform,
    clock: { ...server.platform.clock, now: () => new Date(Date.now() + seconds * 1_000) },
  })
let signIns: ReturnType<typeof signInsOf>

test('an answer is to a request that was made for its connection, and is claimed once on whichever process', async () => {
  const token = signIns.begin(here, '/console/profile')
  const requestId = signIns.requestIdOf(here, token)
  expect(requestId).toMatch(/^_[\w.-]{100,254}$/)
  expect(await signIns.claimAnswer(elsewhere, requestId)).toBe(false)
  expect(await signIns.claimAnswer(here, requestId)).toBe(true)
  expect(await signIns.claimAnswer(here, requestId)).toBe(false)
  expect(await signInsOf(1).claimAnswer(here, requestId)).toBe(false)
  // Nor under another id of the same sign-in.
  expect(await signIns.claimAnswer(here, signInsOf(1).requestIdOf(here, token))).toBe(false)
})

test('an answer that comes too late, or to a request that we did not make, is claimed by nobody', async () => {
  const requestId = signIns.requestIdOf(here, signIns.begin(here, undefined))
  expect(await signInsOf(601).claimAnswer(here, requestId)).toBe(false)
  for (const id of [
    '',
    '_',
    '_0000',
    requestId.slice(1),
    `${requestId}x`,
    `_x${requestId}`,
    signIns.begin(here, undefined),
  ])
    expect(await signIns.claimAnswer(here, id), id).toBe(false)
  expect(await signInsOf(590).claimAnswer(here, requestId)).toBe(true)
})

test('an answer is taken once, by the browser that began the sign-in and brought the answer, in time', async () => {
  const token = signIns.begin(here, '/console/profile')
  const requestId = signIns.requestIdOf(here, token)
  expect(await signIns.claimAnswer(here, requestId)).toBe(true)
  const code = await signIns.keepAnswer(here, requestId, ada)
  const taken = (as: string | undefined, with_: unknown, { at = signIns, of = here } = {}) =>
    at.takeAnswered(of, as, with_)
  for (const attempt of [
    taken(signIns.begin(here, undefined), code),
    taken(undefined, code),
    taken(token, 'x'.repeat(43)),
    taken(token, undefined),
    taken(token, code, { at: signInsOf(601) }),
    taken(token, code, { of: elsewhere }),
  ])
    expect(await attempt).toBe(undefined)
  const answers = await Promise.all([taken(token, code), taken(token, code), taken(token, code)])
  expect(answers.filter((answer) => answer !== undefined)).toEqual([{ person: ada, returnTo: '/console/profile' }])
  expect(await signIns.claimAnswer(here, requestId)).toBe(false)
})
