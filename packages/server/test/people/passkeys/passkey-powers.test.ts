import { expect, test } from 'vitest'
import { brokenRule } from '../../../src/people/answer-rules/answer-rules.ts'
import {
  addingRules,
  changingRules,
  type PasskeyAsker,
  type PasskeyPowerRefusal,
  seeingRules,
} from '../../../src/people/passkeys/passkey-powers.ts'

type Session = NonNullable<PasskeyAsker['caller']['session']>

const now = Date.UTC(2026, 10, 18)
const asker = (
  way: Session['way'],
  {
    minutes = 1,
    hasProofs = true,
    kind = 'person',
  }: { minutes?: number; hasProofs?: boolean; kind?: PasskeyAsker['caller']['kind'] } = {},
): PasskeyAsker => ({
  caller: { kind, session: { way, createdAtMs: now - minutes * 60_000 } as Session },
  nowMs: now,
  hasProofs,
})

const rules = { see: seeingRules, change: changingRules, add: addingRules }
const noSession: PasskeyAsker = { caller: { kind: 'person', session: undefined }, nowMs: now, hasProofs: false }

test.each<[keyof typeof rules, string, PasskeyAsker]>([
  ['see', 'somebody who signed in with a passkey, however long ago', asker('passkey', { minutes: 10_000 })],
  ['see', 'somebody who has none yet', asker('link', { hasProofs: false })],
  ['change', 'somebody who has just signed in with a passkey', asker('passkey', { minutes: 9 })],
  ['add', 'somebody who has just signed in with a passkey', asker('passkey', { minutes: 9 })],
  ['add', 'somebody who has just opened an invitation, as the first', asker('link', { hasProofs: false })],
])('may %s: %s', (power, _, who) => {
  expect(brokenRule<PasskeyPowerRefusal, PasskeyAsker>(rules[power], who)).toBeUndefined()
})

test.each<[keyof typeof rules, PasskeyPowerRefusal, string, PasskeyAsker]>([
  ['see', 'not_person', 'a key', asker('key', { kind: 'key', hasProofs: false })],
  ['see', 'not_person', 'a person without a session', noSession],
  ['see', 'not_proved', 'whoever has a link of an organization', asker('link')],
  ['see', 'not_proved', 'whoever an identity provider vouches for', asker('oidc')],
  ['change', 'not_person', 'a support grant', asker('passkey', { kind: 'support' })],
  ['change', 'not_proved', 'whoever has a link of an organization', asker('link')],
  ['change', 'not_proved', 'whoever an identity provider vouches for', asker('saml')],
  ['change', 'not_fresh', 'a session of long ago', asker('passkey', { minutes: 10 })],
  ['add', 'not_person', 'a key', asker('link', { kind: 'key', hasProofs: false })],
  ['add', 'by_provider', 'whoever an identity provider vouches for', asker('oidc', { hasProofs: false })],
  ['add', 'by_provider', 'whoever another provider vouches for', asker('saml', { hasProofs: false })],
  ['add', 'not_proved', 'a link of a second organization to somebody with passkeys', asker('link')],
  ['add', 'not_fresh', 'an invitation of long ago', asker('link', { minutes: 10, hasProofs: false })],
  ['add', 'not_fresh', 'a session of long ago', asker('passkey', { minutes: 11 })],
])('may not %s, for %s: %s', (power, reason, _, who) => {
  const strict: readonly { name: PasskeyPowerRefusal; holds: (input: PasskeyAsker) => boolean }[] = rules[power]
  expect(brokenRule(strict, who)).toBe(reason)
  const weak = strict.filter(({ name }) => name !== reason)
  expect(brokenRule(weak, who), 'the planted weakness lets it').toBeUndefined()
})
