import { cardNumber } from './card-numbers.ts'
import { email } from './emails.ts'
import type { Detector } from './hit.ts'
import { iban } from './ibans.ts'
import { nationalId } from './national-ids.ts'
import { phone } from './phones.ts'
import { promptInjection } from './prompt-injection.ts'
import { secretDetector } from './secrets.ts'

/**
 * All detectors; a refusal names the first one that fires in this order. Append only: settings and clients refer to the names.
 */
export const detectors: readonly Detector[] = [
  cardNumber,
  iban,
  nationalId,
  email,
  phone,
  secretDetector,
  promptInjection,
]
