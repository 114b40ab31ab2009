import { beforeAll, expect, test } from 'vitest'
import { mintRecoveryCode, recoveryDigest } from '../../../src/people/passkeys/passkeys.ts'
import { useServer } from '../../support/harness.ts'
import { invite, Visitor } from '../../support/passkeys/visitor.ts'
import { asDatabaseOwner } from '../../support/sessions.ts'
import { operatorOf, type Tenant, tenantOf } from '../../support/tenants.ts'

/** Addresses of guessers are told by a proxy, so that nobody else fails from them. */
const settings = { SVC_TRUSTED_PROXIES: '127.0.0.0/8', SVC_AUTH_BACKOFF_PER_MINUTE: '5' }
const strict = useServer({ environment: { ...settings, SVC_PUBLIC_URL: 'https://weir.example' } })
const weak = useServer({
  environment: { ...settings, SVC_PUBLIC_URL: 'https://weir.example', SVC_AUTH_BACKOFF_PER_MINUTE: '1000000' },
})

let address = 0
const guessFrom = (server: typeof strict, from: string) => (recovery_code: string) =>
  new Visitor(server.port).post(
    '/console/signin/recovery',
    { recovery_code },
    { origin: 'https://weir.example', 'x-forwarded-for': from },
  )
const tenants = new Map<typeof strict, Tenant>()
beforeAll(async () => {
  for (const server of [strict, weak]) tenants.set(server, await tenantOf(server, (await operatorOf(server)).key))
})

/** Gives somebody a recovery code; returns it. */
async function codeIn(server: typeof strict): Promise<string> {
  await invite(server.url, tenants.get(server)!, 'kim@acme.example')
  const code = mintRecoveryCode()
  const digest = await recoveryDigest(code.replaceAll('-', ''))
  const { ownerUrl } = server.database
  await asDatabaseOwner(ownerUrl, 'update memberships set accepted_at = now()')
  await asDatabaseOwner(
    ownerUrl,
    `insert into recovery_codes (person_id, digest) select person_id, decode('${digest.toString('hex')}', 'hex') from memberships`,
  )
  return code
}

test.each([
  ['waits after a few wrong codes, even with the right one', strict, 429],
  ['would get in after any number of them, were there no back-off', weak, 303],
] as const)('whoever guesses %s', async (_, server, expected) => {
  const code = await codeIn(server)
  const guess = guessFrom(server, `198.51.100.${(address += 1)}`)
  expect((await guess(mintRecoveryCode())).status).toBe(401)
  for (let i = 0; i < 12; i += 1) await guess(mintRecoveryCode())
  const answer = await guess(code)
  expect([answer.status, answer.headers.has('retry-after')]).toEqual([expected, expected === 429])
  // Whoever comes from elsewhere is not held up.
  expect((await guessFrom(server, `198.51.100.${(address += 1)}`)(mintRecoveryCode())).status).toBe(401)
})
