import type { Check } from './check.ts'
import { authenticationChecks } from './checks/authentication.ts'
import { catalogChecks } from './checks/catalog.ts'
import { conditionChecks } from './checks/conditions.ts'
import { deliveryChecks } from './checks/deliveries.ts'
import { envelopeChecks } from './checks/envelope.ts'
import { listingChecks } from './checks/listing.ts'
import { routeChecks } from './checks/routes.ts'
import { ruleChecks } from './checks/rules.ts'
import { signalChecks } from './checks/signals.ts'

/** The checks of the program, by the number of their clause. */
export const checks: Readonly<Record<number, Check>> = {
  ...envelopeChecks,
  ...listingChecks,
  ...routeChecks,
  ...authenticationChecks,
  ...deliveryChecks,
  ...ruleChecks,
  ...catalogChecks,
  ...conditionChecks,
  ...signalChecks,
}
