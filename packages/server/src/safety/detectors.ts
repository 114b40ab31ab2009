import { cardNumber } from './card-numbers.ts'
import { email } from './emails.ts'
import type { Detector } from './hit.ts'
import { iban } from './ibans.ts'
import { nationalId } from './national-ids.ts'
import { phone } from './phones.ts'
import { promptInjection } from './prompt-injection.ts'
import { secret } from './secrets.ts'

/** What can be looked for, in the order in which a refusal names the first. Append only: settings and callers know the names. */
export const detectors: readonly Detector[] = [cardNumber, iban, nationalId, email, phone, secret, promptInjection]
