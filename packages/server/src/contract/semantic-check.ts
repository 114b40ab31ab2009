import type { TSchema } from 'typebox'
import type { FieldFault } from './errors.ts'

const key = Symbol('semantic check')
type Check = (value: never) => FieldFault[]

/** Adds a check to a schema for what JSON Schema cannot express; its faults are reported together with all others. */
export const withCheck = <S extends TSchema>(schema: S, check: Check): S => Object.assign(schema, { [key]: check })

export const checkOf = (schema: object) => (schema as { [key]?: (value: unknown) => FieldFault[] })[key]
