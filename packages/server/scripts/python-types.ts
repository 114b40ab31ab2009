import { isRecord, recordIn } from '../src/values/records.ts'

type Schema = Readonly<Record<string, unknown>>

const header = '# Generated from openapi.json: pnpm generate.\n'
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/
const keywords = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False'.split(
    ' ',
  ),
)

const pascal = (name: string) =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const literal = (values: readonly unknown[]) =>
  `Literal[${values.map((value) => (value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : JSON.stringify(value))).join(', ')}]`

const schemasOf = (document: string): Readonly<Record<string, Schema>> =>
  recordIn(recordIn(recordIn(JSON.parse(document))['components'])['schemas']) as Readonly<Record<string, Schema>>

const scalars: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

/** A writer of Python's types: one for each named schema, and one for each object within them. */
class PythonTypes {
  readonly #schemas: Readonly<Record<string, Schema>>
  readonly #written: string[] = []

  constructor(schemas: Readonly<Record<string, Schema>>) {
    this.#schemas = schemas
  }

  get text(): string {
    return this.#written.join('\n\n')
  }

  /** Writes the type of a named schema: a class for an object, else an alias. */
  define(name: string, schema: Schema) {
    if (isRecord(schema['properties'])) this.#class(name, schema)
    else this.#written.push(`${name}: TypeAlias = ${JSON.stringify(this.typeOf(schema, name))}`)
  }

  /** Returns the type of a schema; `name` is that of a class, should it need one. */
  typeOf(schema: unknown, name: string): string {
    if (!isRecord(schema)) return 'Any'
    const { $ref, anyOf, type } = schema
    if (typeof $ref === 'string') return this.#referenced($ref)
    if (Array.isArray(anyOf)) return this.#union(anyOf, name)
    if (Array.isArray(schema['enum'])) return literal(schema['enum'])
    if ('const' in schema) return literal([schema['const']])
    if (isRecord(schema['properties'])) return this.#class(name, schema)
    if (Array.isArray(type))
      return this.#union(
        type.map((one) => ({ ...schema, type: one })),
        name,
      )
    if (type === 'array') return `list[${this.typeOf(schema['items'], `${name}Item`)}]`
    if (type === 'object') return `dict[str, ${this.#valueOf(schema['additionalProperties'], name)}]`
    return scalars[String(type)] ?? 'Any'
  }

  #valueOf(schema: unknown, name: string): string {
    return isRecord(schema) && Object.keys(schema).length > 0 ? this.typeOf(schema, `${name}Value`) : 'Any'
  }

  #referenced(reference: string): string {
    const name = reference.replace('#/components/schemas/', '')
    if (!Object.hasOwn(this.#schemas, name)) throw new Error(`there is no schema ${reference}`)
    return name
  }

  #union(members: readonly unknown[], name: string): string {
    const types = members.map((member, i) => this.typeOf(member, i === 0 ? name : `${name}${i + 1}`))
    return [...new Set(types)].join(' | ')
  }

  #class(name: string, schema: Schema): string {
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
    const fields = Object.entries(recordIn(schema['properties'])).map(([field, one]) => {
      const type = this.typeOf(one, name + pascal(field))
      return [field, required.has(field) ? type : `NotRequired[${type}]`] as const
    })
    const isPlain = fields.every(([field]) => identifier.test(field) && !keywords.has(field))
    this.#written.push(isPlain ? classText(name, fields) : functionText(name, fields))
    return name
  }
}

const classText = (name: string, fields: readonly (readonly [string, string])[]) =>
  `class ${name}(TypedDict):\n${fields.map(([field, type]) => `    ${field}: ${type}`).join('\n') || '    pass'}`

/** A class with a field that is no name in Python, such as `from`. */
const functionText = (name: string, fields: readonly (readonly [string, string])[]) =>
  `${name} = TypedDict(${JSON.stringify(name)}, {${fields.map(([field, type]) => `${JSON.stringify(field)}: ${JSON.stringify(type)}`).join(', ')}})`

/** Returns the types of all that requests and answers hold, as Python's `TypedDict`. */
export function pythonTypes(document: string): string {
  const schemas = schemasOf(document)
  const types = new PythonTypes(schemas)
  for (const [name, schema] of Object.entries(schemas)) if (!codeOf(schema)) types.define(name, schema)
  const events = eventsOf(document)
  types.define('Event', { anyOf: events.map((name) => ({ $ref: `#/components/schemas/${name}` })) })
  const imports = ['Any', 'Literal', 'NotRequired', 'TypeAlias', 'TypedDict']
  return `${header}from __future__ import annotations\n\nfrom typing import ${imports.join(', ')}\n\n${types.text}\n`
}

/** Returns the names of the types of all events that webhooks send. */
function eventsOf(document: string): string[] {
  const found = JSON.stringify(recordIn(JSON.parse(document))['webhooks']).matchAll(/schemas\/(\w+Event)"/g)
  return [...new Set([...found].map(([, name = '']) => name))]
}

/** Returns the code of a schema that is the answer of one error. */
function codeOf(schema: Schema): string | undefined {
  const code = recordIn(recordIn(recordIn(recordIn(schema['properties'])['error'])['properties'])['code'])['enum']
  return Array.isArray(code) && typeof code[0] === 'string' ? code[0] : undefined
}

/** Returns the errors of the API as a union of Python's dataclasses, which their `code` tells apart. */
export function pythonFaults(document: string): string {
  const schemas = schemasOf(document)
  const types = new PythonTypes(schemas)
  const faults: { name: string; code: string; details: string }[] = []
  for (const schema of Object.values(schemas)) {
    const code = codeOf(schema)
    if (code === undefined) continue
    const details = recordIn(recordIn(recordIn(recordIn(schema['properties'])['error'])['properties'])['details'])
    faults.push({
      name: pascal(code.replaceAll('_', ' ')),
      code,
      details: types.typeOf(details, `${pascal(code.replaceAll('_', ' '))}Details`),
    })
  }
  const classes = faults.map(
    ({ name, code, details }) =>
      `@dataclass(frozen=True)\nclass ${name}:\n    message: str\n    details: ${details}\n    code: Literal[${JSON.stringify(code)}] = ${JSON.stringify(code)}`,
  )
  const names = faults.map(({ name }) => name)
  const used = [...new Set(types.text.match(/\b[A-Z]\w+\b/g) ?? [])].filter((name) => name in schemas).sort()
  return `${header}from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict, Union

from .types import ${used.join(', ')}

ErrorCode: TypeAlias = ${literal(faults.map(({ code }) => code))}

${types.text}

${classes.join('\n\n')}

Fault: TypeAlias = Union[${names.join(', ')}]

FAULTS: Final[dict[str, type[Any]]] = {
${faults.map(({ name, code }) => `    ${JSON.stringify(code)}: ${name},`).join('\n')}
}
`
}
