import type { TSchema } from 'typebox'
import type { FieldFault } from './errors.ts'

const key = Symbol('semantic check')
type Check = (value: never) => FieldFault[]

/** Adds to a schema what JSON Schema cannot say; its faults are reported together with all others. */
export const withCheck = <S extends TSchema>(schema: S, check: Check): S => Object.assign(schema, { [key]: check })

export const checkOf = (schema: object) => (schema as { [key]?: (value: unknown) => FieldFault[] })[key]
