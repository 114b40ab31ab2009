import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Document } from './document.ts'
import { freezeFaults } from './freeze.ts'
import { sampleDocument } from './sample-document.ts'

type Edit = (document: Document) => void
type Place = readonly (string | number)[]

const nodeAt = (document: Document, place: Place) =>
  place.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document) as Record<string, unknown>

const set =
  (place: Place, value: unknown): Edit =>
  (document) => {
    nodeAt(document, place.slice(0, -1))[place.at(-1)!] = value
  }

const remove =
  (...place: Place): Edit =>
  (document) => {
    const holder = nodeAt(document, place.slice(0, -1))
    const key = place.at(-1)!
    expect(holder).toHaveProperty([String(key)])
    if (Array.isArray(holder)) holder.splice(Number(key), 1)
    else delete holder[key]
  }

const together =
  (...edits: Edit[]): Edit =>
  (document) =>
    edits.forEach((edit) => edit(document))

const faultsAfter = (edit: Edit, prepare?: Edit) => {
  const released = structuredClone(sampleDocument)
  prepare?.(released)
  const current = structuredClone(released)
  edit(current)
  return freezeFaults(released, current)
}

const list = ['paths', '/v1/runs', 'get']
const create = ['paths', '/v1/runs', 'post']
const org = ['paths', '/v1/orgs/{id}', 'get']
const body = [...create, 'requestBody', 'content', 'application/json', 'schema']
const field = (name: string) => [...body, 'properties', name]
const run = ['components', 'schemas', 'Run']
const output = (name: string) => [...run, 'properties', name]
const ok = { responses: { 200: { description: 'ok' } } }

const breaking: [promise: string, edit: Edit][] = [
  ['a removed path', remove('paths', '/v1/orgs/{id}')],
  ['a removed path that was deprecated and past its sunset', remove('paths', '/v1/old')],
  [
    'a renamed path parameter',
    together(
      set([...org, 'parameters', 0, 'name'], 'org_id'),
      (document) => set(['paths', '/v1/orgs/{org_id}'], nodeAt(document, ['paths', '/v1/orgs/{id}']))(document),
      remove('paths', '/v1/orgs/{id}'),
    ),
  ],
  ['a removed operation', remove(...create)],
  ['a removed operation that was deprecated and past its sunset', remove('paths', '/v1/forecast', 'post')],
  ['a removed success status', remove(...create, 'responses', '202')],
  ['a removed error status', remove(...create, 'responses', '404')],
  ['a removed media type', set([...create, 'responses', '201', 'content'], { 'text/plain': {} })],
  ['a removed response header', remove(...list, 'responses', '200', 'headers', 'x-svc-trace-id')],
  [
    'a changed response header',
    set([...list, 'responses', '200', 'headers', 'x-svc-trace-id', 'schema', 'type'], 'integer'),
  ],
  ['a removed required response field', together(remove(...output('cost')), set([...run, 'required'], ['id']))],
  ['a removed optional response field', remove(...output('steps'))],
  ['a removed response field that was deprecated', remove(...output('legacy'))],
  ['a removed field of a nullable object', remove(...output('parent'), 'anyOf', 0, 'properties', 'depth')],
  ['a removed field of a map value', remove(...output('counts'), 'additionalProperties', 'properties', 'tokens')],
  [
    'a field removed from several shapes of a response',
    together(
      remove(...output('outcome'), 'anyOf', 0, 'properties', 'output'),
      remove(...output('outcome'), 'anyOf', 1, 'properties', 'reason'),
    ),
  ],
  [
    'a removed field of the error envelope',
    remove('components', 'schemas', 'Error', 'properties', 'error', 'properties', 'details'),
  ],
  ['a removed request field', remove(...field('note'))],
  ['a removed request field that was deprecated', remove(...field('legacy'))],
  [
    'a removed field of a map value in a request',
    remove(...field('labels'), 'additionalProperties', 'properties', 'text'),
  ],
  ['a removed request body', remove(...create, 'requestBody')],
  ['a removed parameter', remove(...list, 'parameters', 2)],
  ['a removed parameter that was deprecated', remove(...list, 'parameters', 3)],
  ['an enum value removed from a request', set([...field('kind'), 'enum'], ['chat'])],
  ['an enum value removed from a parameter', set([...list, 'parameters', 0, 'schema', 'enum'], ['cost'])],
  ['an enum value removed from a response', set([...output('state'), 'enum'], ['open'])],
  ['a literal removed from a union in a response', remove(...output('phase'), 'anyOf', 1)],
  ['a changed literal in a request', set([...field('priority'), 'const'], 'high')],
  ['a variant removed from a request', remove(...field('target'), 'anyOf', 1)],
  ['a variant removed from a response', remove(...output('outcome'), 'anyOf', 1)],
  ['a variant added to a response', set([...output('outcome'), 'anyOf', 2], { type: 'integer' })],
  ['a request pattern made tighter', set([...field('model'), 'pattern'], '^[a-c]+$')],
  ['a request pattern where none was', set([...field('note'), 'pattern'], '^a')],
  ['a shorter request string', set([...field('model'), 'maxLength'], 50)],
  ['a length limit where none was', set([...field('note'), 'maxLength'], 50)],
  ['a lower request maximum', set([...field('steps'), 'maximum'], 5)],
  ['a lower parameter maximum', set([...list, 'parameters', 1, 'schema', 'maximum'], 50)],
  ['a shorter request list', set([...field('tags'), 'maxItems'], 2)],
  ['another request format', set([...field('day'), 'format'], 'date-time')],
  ['a changed request type', set(field('steps'), { type: 'string' })],
  ['a changed parameter type', set([...list, 'parameters', 1, 'schema'], { type: 'boolean' })],
  ['null no longer accepted in a request', remove(...field('limit'), 'anyOf', 1)],
  ['a changed default in a request', set([...field('steps'), 'default'], 1)],
  ['a dropped default in a request', remove(...field('steps'), 'default')],
  ['a list parameter spelled another way', set([...list, 'parameters', 0, 'explode'], false)],
  ['a changed response type', set(output('id'), { type: 'integer' })],
  ['a widened response type', set(output('steps'), { type: 'number', maximum: 10 })],
  ['a raised response maximum', set([...output('steps'), 'maximum'], 20)],
  ['a dropped response pattern', remove(...output('cost'), 'pattern')],
  ['a response field that may be missing', set([...run, 'required'], ['id'])],
  ['a response field that may be null', set(output('id'), { type: ['string', 'null'] })],
  [
    'a response field that may be null, written as a union',
    set(output('id'), { anyOf: [{ type: 'string' }, { type: 'null' }] }),
  ],
  [
    'a new required request field',
    together(set(field('extra'), { type: 'string' }), set([...body, 'required'], ['model', 'extra'])),
  ],
  [
    'a new required request field with a default',
    together(set(field('extra'), { type: 'string', default: '' }), set([...body, 'required'], ['model', 'extra'])),
  ],
  ['a request field that became required', set([...body, 'required'], ['model', 'note'])],
  [
    'a new required parameter',
    set([...list, 'parameters', 4], { name: 'extra', in: 'query', required: true, schema: { type: 'string' } }),
  ],
  ['a parameter that became required', set([...list, 'parameters', 2, 'required'], true)],
  ['a changed operationId', set([...create, 'operationId'], 'startRun')],
  ['a removed operationId', remove(...create, 'operationId')],
  ['a code removed from an operation', set([...create, 'responses', '402', 'x-error-codes'], ['budget_exceeded'])],
  [
    'a code moved to another status',
    together(
      set([...create, 'responses', '402', 'x-error-codes'], ['budget_exceeded']),
      set([...create, 'responses', '404', 'x-error-codes'], ['not_found', 'quota_exhausted']),
    ),
  ],
  ['a key asked for where none was', set([...org, 'security'], [{ key: [] }])],
  ['another kind of credential', set([...list, 'security'], [{ session: [] }])],
  ['another scope', set([...create, 'x-scope'], 'runs:admin')],
  ['a scope where none was', set([...list, 'x-scope'], 'runs:read')],
]

test.concurrent.each(breaking)('%s breaks the freeze', async (_, edit) => {
  expect(await faultsAfter(edit)).not.toEqual([])
})

const additions: [promise: string, edit: Edit][] = [
  ['no change', () => {}],
  ['a new path', set(['paths', '/v1/new'], { get: ok })],
  ['a new operation', set(['paths', '/v1/runs', 'delete'], ok)],
  ['a new optional request field', set(field('extra'), { type: 'string', maxLength: 5 })],
  [
    'a new optional field in several variants of a request',
    together(
      set([...field('target'), 'anyOf', 0, 'properties', 'extra'], {}),
      set([...field('target'), 'anyOf', 1, 'properties', 'extra'], {}),
    ),
  ],
  [
    'a new optional parameter',
    set([...list, 'parameters', 4], { name: 'extra', in: 'query', schema: { type: 'string' } }),
  ],
  [
    'a new response field',
    together(set(output('extra'), { type: 'string' }), set([...run, 'required'], ['id', 'cost', 'extra'])),
  ],
  [
    'a new field of a nullable object',
    set([...output('parent'), 'anyOf', 0, 'properties', 'extra'], { type: 'string' }),
  ],
  [
    'a new field in several shapes of a response',
    together(
      set([...output('outcome'), 'anyOf', 0, 'properties', 'extra'], { type: 'string' }),
      set([...output('outcome'), 'anyOf', 1, 'properties', 'extra'], { type: 'string' }),
    ),
  ],
  ['a new success status', set([...create, 'responses', '200'], { description: 'ok' })],
  ['a new error status', set([...create, 'responses', '409'], { 'x-error-codes': ['conflict'] })],
  [
    'a new error code of an operation',
    set([...create, 'responses', '404', 'x-error-codes'], ['not_found', 'unknown_model']),
  ],
  ['a new component', set(['components', 'schemas', 'New'], { type: 'object' })],
  ['a new enum value in a request', set([...field('kind'), 'enum'], ['chat', 'embed', 'rerank'])],
  ['a new enum value in a response', set([...output('state'), 'enum'], ['open', 'done', 'lost'])],
  ['a new literal in a union in a response', set([...output('phase'), 'anyOf', 2], { const: 'hot' })],
  [
    'a new variant in a request',
    set([...field('target'), 'anyOf', 2], { type: 'object', required: ['to'], properties: { to: { const: 'all' } } }),
  ],
  ['a raised request maximum', set([...field('steps'), 'maximum'], 20)],
  ['a request field that may be null', set(field('note'), { anyOf: [{ type: 'string' }, { type: 'null' }] })],
  ['a request field that became optional', set([...body, 'required'], [])],
  ['a response field that became required', set([...run, 'required'], ['id', 'cost', 'state'])],
  ['a deprecated operation', set([...create, 'deprecated'], true)],
  ['a deprecated field', set([...output('state'), 'deprecated'], true)],
  ['a second kind of credential', set([...list, 'security'], [{ key: [] }, { session: [] }])],
  ['a scope no longer asked for', remove(...create, 'x-scope')],
  [
    'a schema that moved into a component',
    together(
      set(['components', 'schemas', 'Parent'], nodeAt(sampleDocument, [...output('parent'), 'anyOf', 0])),
      set([...output('parent'), 'anyOf', 0], { $ref: '#/components/schemas/Parent' }),
    ),
  ],
  ['a null spelled as a type', set(field('limit'), { type: ['string', 'null'], pattern: '^[0-9]+$', maxLength: 21 })],
  ['another description', set([...create, 'description'], 'Starts a run.')],
]

test.concurrent.each(additions)('%s is permitted', async (_, edit) => {
  expect(await faultsAfter(edit)).toEqual([])
})

test.each([
  ['an operation', [...create, 'x-stability-level']],
  ['a path', ['paths', '/v1/runs', 'x-stability-level']],
  ['a field', [...output('id'), 'x-stability-level']],
])('a stability level on %s is a fault by itself', async (_, place) => {
  expect(await faultsAfter(() => {}, set(place, 'alpha'))).toEqual([expect.stringContaining('x-stability-level')])
})

const tree = ['components', 'schemas', 'Tree']
const children = { type: 'array', items: { $ref: '#/components/schemas/Tree' } }
const useTree = together(
  set(tree, { type: 'object', properties: { name: { type: 'string' }, children } }),
  set([...org, 'responses', '200', 'content', 'application/json', 'schema'], { $ref: '#/components/schemas/Tree' }),
)

test.each([
  ['a removed field of a schema that contains itself', remove(...tree, 'properties', 'name')],
  ['a schema that no longer contains itself', set([...tree, 'properties', 'children', 'items'], { type: 'string' })],
])('%s breaks the freeze', async (_, edit) => {
  expect(await faultsAfter(edit, useTree)).not.toEqual([])
})

test('a new field of a schema that contains itself is permitted', async () => {
  expect(await faultsAfter(set([...tree, 'properties', 'extra'], { type: 'string' }), useTree)).toEqual([])
})

test('a parameter that moved to its path is permitted', async () => {
  const { parameters } = nodeAt(sampleDocument, org)
  expect(
    await faultsAfter(
      together(set([...org, 'parameters'], []), set(['paths', '/v1/orgs/{id}', 'parameters'], parameters)),
    ),
  ).toEqual([])
})

test('an oasdiff.yaml in the working directory softens nothing', async () => {
  const before = process.cwd()
  const folder = mkdtempSync(join(tmpdir(), 'weir-freeze-test-'))
  try {
    writeFileSync(join(folder, 'oasdiff.yaml'), 'match-path: nothing\n')
    process.chdir(folder)
    expect(await faultsAfter(remove('paths', '/v1/orgs/{id}'))).not.toEqual([])
  } finally {
    process.chdir(before)
    rmSync(folder, { recursive: true })
  }
})

test('a document that oasdiff cannot read is no pass', async () => {
  await expect(faultsAfter(set(output('id'), 'nothing'))).rejects.toThrow('failed to load')
})
