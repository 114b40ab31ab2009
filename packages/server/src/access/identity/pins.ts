import { ApiError, type FieldFault, validationFailed } from '../../contract/errors.ts'
import { isSameForm, namesSomething } from '../../values/normal-form.ts'
import { recordIn } from '../../values/records.ts'
import type { Caller } from './callers.ts'
import { withNormalNames } from './normal-names.ts'

/** Dimensions that a key can be pinned to. */
const dimensions = ['workflow_id', 'deployment_id', 'department_id', 'customer_id', 'user_id'] as const
type Dimension = (typeof dimensions)[number]
type Pins = Caller['pins']

/** Values of dimensions, as given by a request, a run or a row. */
type DimensionValues = { readonly [name in Dimension]?: string | null | undefined }

export const isPinned = ({ pins }: Pick<Caller, 'pins'>): boolean => Object.keys(pins).length > 0

/** True when the values name what the pins name. Without pins everything is within. */
export const isWithinPins = (pins: Pins, values: DimensionValues): boolean => {
  const valueByName: Readonly<Record<string, string | null | undefined>> = values
  return Object.entries(pins).every(([name, value]) => isSameForm(valueByName[name] ?? '', value))
}

/** Refuses a request that names a value other than its key's pin. */
export function refuseOtherPins(input: object, { pins }: Pick<Caller, 'pins'>) {
  for (const [name, value] of Object.entries(pins)) {
    const given = recordIn(input)[name]
    if (given !== undefined && !(typeof given === 'string' && isSameForm(given, value)))
      throw new ApiError('forbidden', {}, { message: `This key may only use ${name} ${JSON.stringify(value)}.` })
  }
}

/**
 * Returns the request with its names in normal form and the values of its key's pins: an omitted value is filled in, and another
 * one is refused.
 */
export function applyPins<T extends object>(input: T, caller: Pick<Caller, 'pins'>): T {
  const named = withNormalNames(input)
  refuseOtherPins(named, caller)
  return isPinned(caller) ? { ...named, ...caller.pins } : named
}

/** Refuses a pinned key a count that extends beyond its pins. */
export function requireWithinPins({ pins }: Pick<Caller, 'pins'>, values: DimensionValues) {
  if (isWithinPins(pins, values)) return
  throw new ApiError(
    'forbidden',
    {},
    { message: 'This key is pinned, and the requested data extends beyond its pins.' },
  )
}

const isNamed = (value: unknown) => typeof value === 'string' && namesSomething(value)

/** Returns a creating request with its key's pins; refuses it without the dimensions that the organization requires. */
export function withPins<T extends object>(input: T, caller: Pick<Caller, 'pins' | 'requiredDimensions'>): T {
  const all = applyPins(input, caller)
  if (caller.requiredDimensions.length === 0) return all
  const faults: FieldFault[] = dimensions
    .filter((name) => caller.requiredDimensions.includes(name) && !isNamed(recordIn(all)[name]))
    .map((field) => ({ field, code: 'required', message: 'The organization requires this field.' }))
  if (faults.length > 0) throw validationFailed(faults)
  return all
}
