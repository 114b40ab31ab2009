import { validationFailed } from '../../contract/errors.ts'
import { maxOwnIdLength } from '../../contract/wire.ts'
import { normalForm } from '../../values/normal-form.ts'
import { recordIn } from '../../values/records.ts'

/** Fields that callers fill with names of their own, by which limits, rules and pins know a run. */
const nameFields = [
  'workflow_id',
  'deployment_id',
  'department_id',
  'customer_id',
  'user_id',
  'operation',
  'action',
  'tag',
] as const

/** The longest normal form, where it is not that of an id. */
const maxLengths: Readonly<Record<string, number>> = { operation: 100, tag: 100, tags: 100 }

/** Refuses a name that compatibility characters make longer than its field. */
const tooLong = (field: string, max: number) =>
  validationFailed([
    {
      field,
      code: 'too_long',
      message: `Must be at most ${max} characters long with ligatures and the like written out.`,
    },
  ])

/** Returns a name in its normal form; undefined where nothing is left of it. */
function normalName(field: string, text: string): string | undefined {
  const form = normalForm(text)
  const max = maxLengths[field] ?? maxOwnIdLength
  if (form.length > max && Array.from(form).length > max) throw tooLong(field, max)
  return form === '' ? undefined : form
}

/** Returns the pins of a key in normal form. */
export const normalPins = (pins: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(pins).map(([name, value]) => [name, normalForm(value) || value]))

/**
 * Returns a request with the names that its caller chose in their normal form, so that everything behind it knows one spelling
 * only. A name of which nothing is left was not given. The same object where nothing changes, as nearly always.
 */
export function withNormalNames<T extends object>(input: T): T {
  const fields = recordIn(input)
  let changed: Record<string, unknown> | undefined
  for (const name of nameFields) {
    const given = fields[name]
    if (typeof given !== 'string') continue
    const form = normalName(name, given)
    if (form !== given) (changed ??= {})[name] = form
  }
  const { tags } = fields
  if (Array.isArray(tags) && tags.some((tag: string) => normalForm(tag) !== tag))
    (changed ??= {})['tags'] = [...new Set(tags.flatMap((tag: string) => normalName('tags', tag) ?? []))]
  if (!changed) return input
  const all: Record<string, unknown> = { ...fields, ...changed }
  for (const [name, value] of Object.entries(changed)) if (value === undefined) delete all[name]
  return all as T
}
