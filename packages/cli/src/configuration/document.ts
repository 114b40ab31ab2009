import { readFileSync, statSync } from 'node:fs'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { type Document, isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { Fault } from '../faults.ts'
import { isRecord, type Json, messageOf, recordsOf, systemCodeOf } from '../values.ts'
import { labelOf, naturalKey } from './kind.ts'
import { kinds } from './kinds.ts'
import schema from './weir.schema.json' with { type: 'json' }

/** The content of a file, by section. */
export interface Configuration {
  readonly sections: Readonly<Record<string, unknown>>
}

const maxBytes = 4 * 1024 * 1024
const maxNodes = 400_000
const maxAliases = 100

/** Keys that have a meaning in JavaScript instead of being data. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

export function readFileText(path: string): string {
  try {
    if (path !== '-' && statSync(path).size > maxBytes) throw new Fault('usage', `${path} has more than 4 MiB`)
    const text = readFileSync(path === '-' ? 0 : path, 'utf8')
    if (text.length > maxBytes) throw new Fault('usage', `${path} has more than 4 MiB`)
    return text
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault('usage', `${path} cannot be read: ${systemCodeOf(error) ?? messageOf(error)}`)
  }
}

/** Reads a file: YAML 1.2, checked against the schema; every fault is named with its line. */
export function readConfiguration(text: string, name: string): Configuration {
  const lines = new LineCounter()
  const document = parse(text, name, lines)
  const refuse = (faults: readonly Placed[]): never => {
    const places = faults.map(({ offset, message }) => `  ${name}:${lines.linePos(offset).line}: ${message}`)
    throw new Fault('usage', `${name} cannot be used:\n${[...new Set(places)].slice(0, 20).join('\n')}`)
  }
  const keys = unsafeKeys(document)
  if (keys.length > 0) refuse(keys)
  const content = contentOf(document, name)
  const invalid = invalidPlaces(document, content)
  if (invalid.length > 0) refuse(invalid)
  if (!isRecord(content)) throw new Fault('usage', `${name} is empty`)
  const twice = repeatedEntries(document, content)
  if (twice.length > 0) refuse(twice)
  const { version: _version, ...sections } = content
  return { sections }
}

interface Placed {
  readonly offset: number
  readonly message: string
}

function parse(text: string, name: string, lineCounter: LineCounter): Document {
  let document: Document
  try {
    document = parseDocument(text, { version: '1.2', schema: 'core', merge: false, lineCounter, logLevel: 'error' })
  } catch (error) {
    throw new Fault('usage', `${name} is no YAML: ${messageOf(error)}`)
  }
  const [fault] = [...document.errors, ...document.warnings]
  if (fault) throw new Fault('usage', `${name}:${fault.linePos?.[0].line ?? 1}: ${fault.message.split('\n')[0] ?? ''}`)
  return document
}

function contentOf(document: Document, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: maxAliases })
  } catch (error) {
    throw new Fault('usage', `${name} cannot be used: ${messageOf(error)}`)
  }
}

/** Returns keys that no resource has, and a fault where the file unfolds to more than any organization can have. */
function unsafeKeys(document: Document): Placed[] {
  const found: Placed[] = []
  let nodes = 0
  visit(document, (_key, node) => {
    nodes += 1
    if (nodes > maxNodes) return visit.BREAK
    if (!isMap(node)) return undefined
    for (const { key } of node.items) {
      const offset = (isNode(key) && key.range?.[0]) || 0
      if (isAlias(key) || !isScalar(key)) found.push({ offset, message: 'a key must be plain text' })
      else if (forbiddenKeys.has(String(key.value))) found.push({ offset, message: `"${String(key.value)}" is no key` })
    }
    return undefined
  })
  return nodes > maxNodes ? [{ offset: 0, message: 'it has too many values' }] : found
}

const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  validateFormats: false,
  allowUnionTypes: true,
  verbose: true,
})
let validate: ValidateFunction | undefined

function invalidPlaces(document: Document, content: unknown): Placed[] {
  // Made with the first file: it takes longer than the whole start of a command that reads none.
  validate ??= ajv.compile(schema)
  if (validate(content)) return []
  // An alternative reports all its branches; those of null say nothing.
  const errors = (validate.errors ?? []).filter(
    ({ keyword, schema }) => keyword !== 'anyOf' && keyword !== 'oneOf' && !(keyword === 'type' && schema === 'null'),
  )
  return errors.map((error) => ({ offset: offsetOf(document, error), message: explanationOf(error) }))
}

function explanationOf({ instancePath, keyword, message, params, data }: ErrorObject): string {
  const place = instancePath === '' ? '' : `${instancePath.slice(1).replaceAll('/', '.')} `
  if (keyword === 'additionalProperties') return `${place}has no field "${String(params['additionalProperty'])}"`
  if (keyword === 'enum') return `${place}must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`
  if (keyword === 'type' && params['type'] === 'string' && typeof data === 'number')
    return `${place}must be text: write "${data}" in quotes, so that it stays exact`
  if (instancePath.endsWith('/client_secret')) return `${place}must name a variable: "\${env:NAME}"`
  return `${place}${message ?? 'is not valid'}`
}

function offsetOf(document: Document, { instancePath, params }: ErrorObject): number {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')))
  const extra = params['additionalProperty'] as string | undefined
  for (const candidate of extra === undefined ? [path] : [[...path, extra], path]) {
    const node = document.getIn(candidate, true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}

/** Returns entries that name a resource a second time: which of the two should count? */
function repeatedEntries(document: Document, content: Json): Placed[] {
  return kinds.flatMap((kind) => {
    if (kind.shape === 'single') return []
    const seen = new Set<string>()
    return recordsOf(content[kind.section]).flatMap((entry, i) => {
      const key = naturalKey(kind, entry)
      if (!seen.has(key)) {
        seen.add(key)
        return []
      }
      const node = document.getIn([kind.section, i], true)
      return [{ offset: (isNode(node) && node.range?.[0]) || 0, message: `${labelOf(kind, entry)} is there twice` }]
    })
  })
}
