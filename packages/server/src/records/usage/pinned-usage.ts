import { applyPins, type Caller, makerText } from '../../access/identity/identity.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import type { Filters } from './queries.ts'
import { customerFaults, isByCustomer, type OwnUsageQuery, type UsageQuery } from './schema.ts'

const apart = (message: string) => new ApiError('forbidden', {}, { message })

/**
 * Narrows a usage query to a key's pins. Usage by customer is stored apart from all other dimensions: a key that is pinned to
 * another one is refused where customers are asked about, because its part cannot be separated from the rest.
 */
export function pinnedUsage(query: UsageQuery, caller: Pick<Caller, 'pins'>): UsageQuery {
  const asked = applyPins(query, caller)
  if (!isByCustomer(asked)) return asked
  if (Object.keys(caller.pins).some((name) => name !== 'customer_id'))
    throw apart('Usage is not kept by customer and another dimension together, and this key is pinned to another one.')
  const faults = customerFaults(asked)
  if (faults.length > 0) throw validationFailed(faults)
  return asked
}

/**
 * Narrows a usage query to a caller itself: to the user that its key is pinned to, else to the key. Usage of customers is not told
 * apart by keys, so a pin to a customer is left to the key, all of whose runs are this customer's.
 */
export function ownUsage(query: OwnUsageQuery, caller: Caller): UsageQuery {
  const { customer_id, ...pins } = caller.pins
  const isOfUser = pins['user_id'] !== undefined && customer_id === undefined
  return pinnedUsage(query, { pins: isOfUser ? pins : { ...pins, key_id: makerText(caller) } })
}

/** The filters of an export for a key: its pins. Lines of an export name no customer. */
export function pinnedExport({ pins }: Pick<Caller, 'pins'>): Filters {
  if (pins['customer_id'] !== undefined)
    throw apart('An export does not tell customers apart, and this key is pinned to one.')
  return pins
}
