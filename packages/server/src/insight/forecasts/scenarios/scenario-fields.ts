import type { FieldErrorCode, FieldFault } from '../../../contract/errors.ts'
import { parseUsd } from '../../../values/money.ts'
import { elementAt } from '../../../values/present.ts'

/**
 * Reads the fields of a scenario one by one and collects all faults. A scenario arrives as text in the query string, where no
 * schema applies.
 */
export class FieldReader {
  private readonly known = new Set<string>()
  readonly faults: FieldFault[] = []
  private readonly object: Readonly<Record<string, unknown>>
  private readonly place: string

  constructor(object: Readonly<Record<string, unknown>>, place: string) {
    this.object = object
    this.place = place
  }

  fault(name: string, code: FieldErrorCode, message: string): undefined {
    this.faults.push({ field: name === '' ? this.place : `${this.place}.${name}`, code, message })
    return undefined
  }

  has(name: string): boolean {
    this.known.add(name)
    return this.object[name] !== undefined
  }

  private read(name: string): unknown {
    return this.has(name) ? this.object[name] : this.fault(name, 'required', 'This field is required.')
  }

  text(name: string, most: number): string | undefined {
    const value = this.read(name)
    if (value === undefined) return undefined
    if (typeof value !== 'string') return this.fault(name, 'invalid_type', 'This must be a string.')
    if (value === '') return this.fault(name, 'empty', 'This must not be empty.')
    if (value.length > most) return this.fault(name, 'too_long', `This must have at most ${most} characters.`)
    if (value.includes('\0') || !value.isWellFormed())
      return this.fault(name, 'invalid_format', 'This must not contain null characters or unpaired surrogates.')
    return value
  }

  number(name: string, least: number, most: number, isWhole = false): number | undefined {
    const value = this.read(name)
    if (value === undefined) return undefined
    if (typeof value !== 'number' || (isWhole && !Number.isInteger(value)))
      return this.fault(name, 'invalid_type', `This must be ${isWhole ? 'an integer' : 'a number'}.`)
    if (value < least || value > most)
      return this.fault(name, 'out_of_range', `This must be between ${least} and ${most}.`)
    return value
  }

  date(name: string): string | undefined {
    const value = this.text(name, 10)
    if (value === undefined) return undefined
    const midnight = new Date(`${value}T00:00:00Z`)
    const isDate = /^[12]\d{3}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(midnight.getTime())
    if (!isDate || !midnight.toISOString().startsWith(value))
      return this.fault(name, 'invalid_format', 'This must be a date, as in 2026-12-01.')
    return value
  }

  /** Reads US dollars as a float, which suffices for a scenario: no money moves. */
  usd(name: string): number | undefined {
    const value = this.text(name, 20)
    if (value === undefined) return undefined
    if (!/^(0|[1-9][0-9]{0,8})(\.[0-9]{1,9})?$/.test(value))
      return this.fault(name, 'invalid_format', 'This must be US dollars as a decimal string.')
    return Number(parseUsd(value)) / 1e9
  }

  /** Requires exactly one of some fields. */
  exactlyOne(names: readonly string[]): string | undefined {
    const [first, second] = names.filter((name) => this.has(name))
    if (first === undefined)
      return this.fault(elementAt(names, 0), 'required', `One of ${names.join(', ')} is required.`)
    if (second !== undefined) return this.fault(second, 'invalid_value', `Give only one of ${names.join(', ')}.`)
    return first
  }

  /** Reports every field that was not read as unknown. */
  rejectUnknown() {
    for (const name of Object.keys(this.object).slice(0, 50))
      if (!this.known.has(name)) this.fault(name, 'unknown_field', 'This field is unknown.')
  }
}
