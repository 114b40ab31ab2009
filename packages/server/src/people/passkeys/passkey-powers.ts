import type { Caller } from '../../access/identity/identity.ts'
import { ApiError } from '../../contract/errors.ts'
import { brokenRule, rulesNamed } from '../answer-rules/answer-rules.ts'

/** Somebody who would see or change passkeys, and what their person has. */
export interface PasskeyAsker {
  readonly caller: Pick<Caller, 'kind' | 'session'>
  readonly nowMs: number
  /** True where the person has a passkey or a recovery code. */
  readonly hasProofs: boolean
}

/** Time for which a session counts as just opened. */
const freshMs = 600_000

const isPerson = ({ caller }: PasskeyAsker) => caller.kind === 'person' && caller.session !== undefined
const isProved = ({ caller }: PasskeyAsker) => caller.session?.way === 'passkey'
const isFresh = ({ caller, nowMs }: PasskeyAsker) => nowMs < (caller.session?.createdAtMs ?? 0) + freshMs

/**
 * Rules by which a session may see the passkeys of its person. Organizations open sessions too, with a link or an identity provider of
 * theirs: such a session says what one organization thinks, and a passkey opens all of them.
 */
export const seeingRules = rulesNamed({
  not_person: isPerson,
  not_proved: (asker: PasskeyAsker) => isProved(asker) || !asker.hasProofs,
})

/** Rules by which a session may change passkeys and recovery codes: somebody who holds a cookie that they found cannot. */
export const changingRules = rulesNamed({ not_person: isPerson, not_proved: isProved, not_fresh: isFresh })

/** Rules by which a session may add a passkey. The first one is added by whoever an organization has invited with a link. */
export const addingRules = rulesNamed({
  not_person: isPerson,
  by_provider: ({ caller }: PasskeyAsker) => caller.session?.way === 'link' || caller.session?.way === 'passkey',
  not_proved: (asker: PasskeyAsker) => isProved(asker) || !asker.hasProofs,
  not_fresh: isFresh,
})

const rules = { see: seeingRules, change: changingRules, add: addingRules }
export type PasskeyPower = keyof typeof rules
export type PasskeyPowerRefusal = 'not_person' | 'by_provider' | 'not_proved' | 'not_fresh'

const reasons: Readonly<Record<PasskeyPowerRefusal, string>> = {
  not_person: 'Only a person has passkeys, and sees them in a session of theirs.',
  by_provider:
    'You have signed in with your organization’s identity provider. Passkeys are for people who sign in without one.',
  not_proved: 'Sign in with a passkey or a recovery code to see or change your passkeys.',
  not_fresh: 'You signed in more than ten minutes ago. Confirm that it is you, then try again.',
}

/** Returns why a session lacks a power over the passkeys of its person; undefined where it has it. */
export const lackOfPower = (power: PasskeyPower, asker: PasskeyAsker): PasskeyPowerRefusal | undefined =>
  brokenRule<PasskeyPowerRefusal, PasskeyAsker>(rules[power], asker)

/** Refuses a session that lacks a power over the passkeys of its person. */
export function requirePower(power: PasskeyPower, asker: PasskeyAsker) {
  const lack = lackOfPower(power, asker)
  if (lack !== undefined) throw new ApiError('forbidden', {}, { message: reasons[lack] })
}
