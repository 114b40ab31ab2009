import { readFileSync } from 'node:fs'
import type { OpenAPIV3_1 } from 'openapi-types'
import { beforeAll, describe, expect, test } from 'vitest'
import { errorsOf } from '../../src/contract/error-responses.ts'
import { errorCodes } from '../../src/contract/errors.ts'
import { completeDocument, resolvedResponse } from '../../src/contract/openapi.ts'
import { dereferenced } from '../support/document.ts'
import { useServer } from '../support/harness.ts'

const server = useServer()
let served: OpenAPIV3_1.Document
/** The same without references. */
let document: OpenAPIV3_1.Document

beforeAll(async () => {
  served = (await (await fetch(`${server.url}/v1/openapi.json`)).json()) as OpenAPIV3_1.Document
  document = dereferenced(served)
})

const operations = () =>
  server.routes.map((route) => ({
    route,
    operation: document.paths?.[route.template]?.[route.method.toLowerCase() as 'get'] as OpenAPIV3_1.OperationObject,
  }))

test('the document is OpenAPI 3.1 and lists exactly the routes under /v1', () => {
  expect(document.openapi).toMatch(/^3\.1\./)
  const listed = Object.entries(document.paths!).flatMap(([path, item]) =>
    Object.keys(item!).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(listed.sort()).toEqual(server.routes.map(({ method, template }) => `${method} ${template}`).sort())
  expect(listed.every((name) => name.includes(' /v1/'))).toBe(true)
})

test('the committed document is the served one', () => {
  const committed = JSON.parse(
    readFileSync(new URL('../../../../openapi.json', import.meta.url), 'utf8'),
  ) as OpenAPIV3_1.Document
  expect(committed).toEqual(served)
})

const responsesOf = ({ responses }: OpenAPIV3_1.OperationObject) =>
  Object.entries(responses!).map(([status, response]) => [status, resolvedResponse(document, response)] as const)

test('every body has an example, and every answer a description and an example', () => {
  const faults: string[] = []
  completeDocument(server.app.swagger() as OpenAPIV3_1.Document, server.routes, [], {}, faults)
  expect(faults.join('\n')).toBe('')
})

describe('every operation', () => {
  test('has a stable, unique name, a summary, a description and a tag that is described', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = document.tags!.map(({ name }) => name)
    for (const { operation } of operations()) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/)
      expect(operation.summary).toBeTruthy()
      expect(operation.description).toBeTruthy()
      expect(tags).toContain(operation.tags![0])
    }
  })

  test('documents each error it can answer, with an example, and the trace id on every answer', () => {
    for (const { route, operation } of operations()) {
      const errors = responsesOf(operation).filter(([status]) => Number(status) >= 400)
      expect(errors.map(([status, response]) => [Number(status), response['x-error-codes']])).toEqual([
        ...errorsOf(route),
      ])
      for (const [, response] of responsesOf(operation)) expect(response.headers).toHaveProperty('x-svc-trace-id')
      for (const [, response] of errors) {
        const examples = response.content!['application/json']!.examples!
        expect(Object.keys(examples)).toEqual(response['x-error-codes'])
      }
    }
  })

  test('flags as deprecated exactly the routes of the registry', () => {
    const flagged = operations().filter(({ operation }) => operation.deprecated)
    expect(flagged.map(({ route: { method, template } }) => `${method} ${template}`)).toEqual([
      'GET /v1/forecast',
      'GET /v1/admin/orgs/{org_id}/webhook-secret',
      'POST /v1/admin/orgs/{org_id}/webhook-secret/rotate',
    ])
  })
})

test('an exhausted quota is 402 at the edge, and nothing else there', () => {
  const documented = errorsOf(server.routes.find(({ template }) => template === '/v1/edge/decision')!)
  expect(documented.get(402)).toContain('quota_exhausted')
  expect(documented.get(429)).toEqual(['rate_limited'])
})

test('each error code has a schema of its own', () => {
  for (const code of errorCodes) {
    const name = `${code.replace(/(^|_)([a-z])/g, (_whole, _start, letter: string) => letter.toUpperCase())}Error`
    expect(document.components!.schemas).toHaveProperty(name)
  }
})

test('every domain object has a name, nothing is titled in place, and no mark of the server is published', () => {
  expect(Object.keys(served.components!.schemas!)).toEqual(
    expect.arrayContaining([
      'Approval',
      'Budget',
      'BudgetPatch',
      'Key',
      'Org',
      'Reservation',
      'Rule',
      'Run',
      'SpendCap',
    ]),
  )
  const marks = /"(title|x-path-id|x-filter|x-sort|x-computed|x-example-fields)":/g
  const { info: _info, ...described } = served
  expect([...new Set(JSON.stringify(described).match(marks))]).toEqual([])
})

test('no schema of a request is unbounded', () => {
  const faults: string[] = []
  const visit = (schema: Record<string, unknown>, path: string) => {
    const bounded = (...keys: string[]) => keys.some((key) => key in schema)
    if (schema['type'] === 'string' && !bounded('maxLength', 'enum', 'const')) faults.push(`${path}: string`)
    if (schema['type'] === 'array' && !bounded('maxItems')) faults.push(`${path}: array`)
    if ((schema['type'] === 'integer' || schema['type'] === 'number') && !(bounded('maximum') && bounded('minimum')))
      faults.push(`${path}: number`)
    for (const [key, value] of Object.entries(schema)) {
      if (value !== null && typeof value === 'object' && key !== 'examples' && key !== 'example')
        visit(value as Record<string, unknown>, `${path}.${key}`)
    }
  }
  for (const { route, operation } of operations()) {
    for (const given of operation.parameters ?? []) {
      const parameter = (
        '$ref' in given ? document.components!.parameters!['IdempotencyKey'] : given
      ) as OpenAPIV3_1.ParameterObject
      visit(parameter.schema as Record<string, unknown>, `${route.template} ${parameter.name}`)
    }
    const body = (operation.requestBody as OpenAPIV3_1.RequestBodyObject | undefined)?.content['application/json']
      ?.schema
    if (body) visit(body as Record<string, unknown>, `${route.template} body`)
  }
  expect(faults).toEqual([])
})

test('a route that does not say who may call it does not start', async () => {
  const { default: fastify } = await import('fastify')
  const { collectRoutes } = await import('../../src/contract/routes.ts')
  const app = fastify()
  collectRoutes(app, { bodyLimitBytes: 1, bulkBodyLimitBytes: 1, inputBodyLimitBytes: 1 })
  const register =
    (config: object, schema: object = { operationId: 'x' }) =>
    () =>
      app.get(`/v1/${Math.random()}`, { config, schema }, () => ({}))
  expect(register({})).toThrow('must declare')
  expect(register({ role: 'admin' })).toThrow('must declare')
  expect(register({ scope: 'runs:read' })).toThrow('must declare')
  expect(register({ open: true, role: 'admin' })).toThrow('must declare')
  const tenant = { role: 'admin', scope: 'webhooks:read' }
  expect(register({ role: 'operator', scope: 'admin:read', tenant })).toThrow('declares tenant')
  expect(register({ open: true }, {})).toThrow('operationId')
  expect(register({ open: true })).not.toThrow()
})
