import type { OpenAPIV3_1 } from 'openapi-types'
import { formatId } from '../../values/id.ts'
import { namesOf } from '../../values/records.ts'
import { type EventKind, eventKinds } from './catalog.ts'
import type { EventDefinition } from './kind.ts'

type Schema = OpenAPIV3_1.SchemaObject

const sampleId = (kind: 'event' | 'org') => formatId(kind, '0192f3a5-ac96-774b-bcce-b302099a8057')

/** Returns the example payload of an event. */
export const eventExample = (kind: EventKind) => ({
  id: sampleId('event'),
  type: kind,
  created_at: '2026-11-15T08:30:00.000+00:00',
  org_id: sampleId('org'),
  data: eventKinds[kind].example,
})

const header = (
  name: string,
  required: boolean,
  description: string,
  example: string,
): OpenAPIV3_1.ParameterObject => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
  example,
})

const signedByOwn = 'On deliveries signed with the subscription’s own secret (Standard Webhooks)'
const headers: readonly OpenAPIV3_1.ParameterObject[] = [
  header(
    'X-Svc-Signature',
    true,
    '`t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">` with the subscription’s own secret; during the overlap of a rotation with a second `v1=`. `v1=<hex HMAC-SHA256 of the body>` while it has none (deprecated).',
    't=1794731400,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  ),
  header(
    'X-Svc-Event-Version',
    true,
    '`2` when signed with the subscription’s own secret, `1` with that of the organization.',
    '2',
  ),
  header(
    'webhook-id',
    false,
    `${signedByOwn}: the id of the event, the same on every attempt, replay and redelivery.`,
    sampleId('event'),
  ),
  header('webhook-timestamp', false, `${signedByOwn}: when this attempt was signed, in unix seconds.`, '1794731400'),
  header(
    'webhook-signature',
    false,
    `${signedByOwn}: \`v1,<base64 HMAC-SHA256 of "<id>.<timestamp>.<body>">\`.`,
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]

const envelope = (kind: string, data: Schema): Schema => ({
  title: `${pascalCase(kind)}Event`,
  type: 'object',
  required: ['id', 'type', 'created_at', 'org_id', 'data'],
  properties: {
    id: { title: 'EventId', type: 'string', description: 'The id of the event; use it to discard duplicates.' },
    type: { type: 'string', const: kind },
    created_at: { title: 'EventTime', type: 'string', description: 'When it happened.' },
    org_id: { type: 'string' },
    data,
  },
})

const camelCase = (kind: string) => kind.replace(/[._]([a-z])/g, (_whole, letter: string) => letter.toUpperCase())

const pascalCase = (kind: string) => kind.charAt(0).toUpperCase() + camelCase(kind).slice(1)

/** Returns the webhooks of the OpenAPI document, by kind. */
export const eventWebhooks = (): NonNullable<OpenAPIV3_1.Document['webhooks']> =>
  Object.fromEntries(
    // A path's operations have the types of OpenAPI 3.0.
    namesOf(eventKinds).map((kind) => [kind, { post: deliveryOf(kind) } as OpenAPIV3_1.PathItemObject]),
  )

function deliveryOf(kind: EventKind): OpenAPIV3_1.OperationObject {
  const { description, data }: EventDefinition = eventKinds[kind]
  return {
    operationId: `${camelCase(kind)}Event`,
    tags: ['events'],
    summary: kind,
    description,
    security: [],
    parameters: [...headers],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: envelope(kind, structuredClone(data)),
          example: eventExample(kind),
        },
      },
    },
    responses: { '2XX': { description: 'Received. Any other response, or none in time, is retried.' } },
  }
}
