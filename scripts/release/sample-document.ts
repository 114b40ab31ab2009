import type { Document, Operation, Response, Schema } from './document.ts'

const json = (schema: Schema) => ({ 'application/json': { schema } })

const failure = (...codes: string[]): Response => ({
  'x-error-codes': codes,
  content: json({ $ref: '#/components/schemas/Error' }),
})

const past = { deprecated: true, 'x-sunset': '2001-01-01' }

const usd = { type: 'string', pattern: '^[0-9]+$', maxLength: 21 }

const createRun: Operation = {
  operationId: 'createRun',
  security: [{ key: [] }],
  'x-scope': 'runs:write',
  requestBody: {
    content: json({
      type: 'object',
      additionalProperties: false,
      required: ['model'],
      properties: {
        model: { type: 'string', minLength: 1, maxLength: 100, pattern: '^[a-z]+$' },
        note: { type: 'string' },
        kind: { type: 'string', enum: ['chat', 'embed'] },
        priority: { const: 'low' },
        steps: { type: 'integer', minimum: 1, maximum: 10, default: 5 },
        tags: { type: 'array', maxItems: 5, items: { type: 'string' } },
        day: { type: 'string', format: 'date' },
        limit: { anyOf: [usd, { type: 'null' }] },
        labels: { type: 'object', additionalProperties: { type: 'object', properties: { text: { type: 'string' } } } },
        target: {
          anyOf: [
            { type: 'object', required: ['to'], properties: { to: { const: 'org' }, org: { type: 'string' } } },
            {
              type: 'object',
              required: ['to'],
              properties: { to: { const: 'customer' }, customer: { type: 'string' } },
            },
          ],
        },
        legacy: { type: 'string', ...past },
      },
    }),
  },
  responses: {
    201: { content: json({ $ref: '#/components/schemas/Run' }) },
    202: { content: json({ type: 'object', properties: { queued: { type: 'boolean' } } }) },
    402: failure('budget_exceeded', 'quota_exhausted'),
    404: failure('not_found'),
  },
}

const listRuns: Operation = {
  operationId: 'listRuns',
  security: [{ key: [] }],
  parameters: [
    { name: 'sort', in: 'query', schema: { type: 'string', enum: ['created', 'cost'] } },
    { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
    { name: 'model', in: 'query', schema: { type: 'string' } },
    { ...past, name: 'legacy', in: 'query', schema: { type: 'string' } },
  ],
  responses: {
    200: {
      content: json({ type: 'array', items: { $ref: '#/components/schemas/Run' } }),
      headers: { 'x-svc-trace-id': { schema: { type: 'string', pattern: '^[0-9a-f]{32}$' } } },
    },
    429: failure('rate_limited'),
  },
}

const run: Schema = {
  type: 'object',
  required: ['id', 'cost'],
  properties: {
    id: { type: 'string' },
    cost: usd,
    steps: { type: 'integer', maximum: 10 },
    state: { type: 'string', enum: ['open', 'done'] },
    phase: { anyOf: [{ const: 'warm' }, { const: 'cold' }] },
    parent: {
      anyOf: [
        { type: 'object', required: ['id'], properties: { id: { type: 'string' }, depth: { type: 'integer' } } },
        { type: 'null' },
      ],
    },
    counts: { type: 'object', additionalProperties: { type: 'object', properties: { tokens: { type: 'integer' } } } },
    outcome: {
      anyOf: [
        { type: 'object', required: ['is'], properties: { is: { const: 'ok' }, output: { type: 'string' } } },
        { type: 'object', required: ['is'], properties: { is: { const: 'failed' }, reason: { type: 'string' } } },
      ],
    },
    legacy: { type: 'string', ...past },
  },
}

/** A small API with one of everything that the freeze guards, for its tests. */
export const sampleDocument: Document = {
  openapi: '3.1.0',
  info: { title: 'Sample', version: '0.1.0' },
  paths: {
    '/v1/runs': { get: listRuns, post: createRun },
    '/v1/orgs/{id}': {
      get: {
        security: [],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 200: { content: json({ type: 'object', properties: { name: { type: 'string' } } }) } },
      },
    },
    '/v1/forecast': { get: { ...past, responses: { 200: {} } }, post: { ...past, responses: { 200: {} } } },
    '/v1/old': { get: { ...past, responses: { 200: {} } } },
  },
  components: {
    securitySchemes: {
      key: { type: 'http', scheme: 'bearer' },
      session: { type: 'apiKey', in: 'cookie', name: 'session' },
    },
    schemas: {
      Run: run,
      Error: {
        type: 'object',
        required: ['error'],
        properties: {
          error: {
            type: 'object',
            required: ['code', 'message', 'details'],
            properties: {
              code: { type: 'string' },
              message: { type: 'string' },
              details: { type: 'object', additionalProperties: true },
            },
          },
        },
      },
    },
  },
}
