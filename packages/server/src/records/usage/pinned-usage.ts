import { applyPins, type Caller } from '../../access/identity/identity.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import type { Filters } from './queries.ts'
import { customerFaults, isByCustomer, type UsageQuery } from './schema.ts'

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

/** The filters of an export for a key: its pins. Lines of an export name no customer. */
export function pinnedExport({ pins }: Pick<Caller, 'pins'>): Filters {
  if (pins['customer_id'] !== undefined)
    throw apart('An export does not tell customers apart, and this key is pinned to one.')
  return pins
}
