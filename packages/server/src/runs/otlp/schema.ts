import { type Static, Type } from 'typebox'
import { exampleId, Nullable, OwnId, Timestamp } from '../../contract/wire.ts'
import type { RejectedField } from './answers.ts'
import { protobufType } from './encodings.ts'
import type { LogsRequest } from './logs.ts'
import type { MetricsRequest } from './metrics-request.ts'
import { builtInAttributes, type MappedDimension } from './names.ts'
import type { SpanFields } from './traces.ts'

/** Open at every level: OTLP obliges receivers to ignore unknown fields. */
const open = { additionalProperties: true }
const maxItems = 20_000

const Span = Type.Unsafe<SpanFields>({
  type: 'object',
  ...open,
  description: 'A span in OTLP’s JSON encoding: ids in hexadecimal, enumerations as integers.',
})

const attribute = (key: string, value: object) => ({ key, value })
const traceExample = {
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: '5b8efff798038103d269b633813fc60c',
              spanId: 'eee19b7ec3c1b174',
              name: 'chat gpt-4o',
              attributes: [
                attribute('gen_ai.operation.name', { stringValue: 'chat' }),
                attribute('gen_ai.request.model', { stringValue: 'gpt-4o' }),
                attribute('gen_ai.usage.input_tokens', { intValue: '1180' }),
                attribute('gen_ai.usage.output_tokens', { intValue: '412' }),
              ],
            },
          ],
        },
      ],
    },
  ],
}

export const TracesBody = Type.Object(
  {
    resourceSpans: Type.Optional(
      Type.Array(
        Type.Object(
          {
            resource: Type.Optional(Type.Unsafe<unknown>({ type: 'object', ...open })),
            scopeSpans: Type.Optional(
              Type.Array(Type.Object({ spans: Type.Optional(Type.Array(Span, { maxItems })) }, open), { maxItems }),
            ),
          },
          open,
        ),
        { maxItems },
      ),
    ),
  },
  {
    title: 'TracesBody',
    ...open,
    description: 'An `ExportTraceServiceRequest` of OTLP; fields that are not known here are ignored.',
    examples: [traceExample],
  },
)

/** The envelope of logs and metrics, three levels deep like that of spans. */
const resources = <T>(
  [list, scopes, items]: readonly [string, string, string],
  item: object,
  title: string,
  message: string,
  example: object,
) =>
  Type.Unsafe<T>(
    Type.Object(
      {
        [list]: Type.Optional(
          Type.Array(
            Type.Object(
              {
                resource: Type.Optional(Type.Unsafe<unknown>({ type: 'object', ...open })),
                [scopes]: Type.Optional(
                  Type.Array(
                    Type.Object({ [items]: Type.Optional(Type.Array(Type.Unsafe<unknown>(item), { maxItems })) }, open),
                    { maxItems },
                  ),
                ),
              },
              open,
            ),
            { maxItems },
          ),
        ),
      },
      {
        title,
        ...open,
        description: `An \`${message}\` of OTLP; fields that are not known here are ignored.`,
        examples: [example],
      },
    ),
  )

const logExample = {
  resourceLogs: [
    {
      scopeLogs: [
        {
          logRecords: [
            {
              body: { stringValue: 'claude_code.api_request' },
              attributes: [
                attribute('event.name', { stringValue: 'api_request' }),
                attribute('session.id', { stringValue: 'ba46efec-851a-4776-89c4-bf8b9d78aa16' }),
                attribute('model', { stringValue: 'claude-opus-4-8' }),
                attribute('input_tokens', { intValue: '1180' }),
                attribute('output_tokens', { intValue: '412' }),
              ],
            },
          ],
        },
      ],
    },
  ],
}

export const LogsBody = resources<LogsRequest>(
  ['resourceLogs', 'scopeLogs', 'logRecords'],
  { type: 'object', ...open, description: 'A log record in OTLP’s JSON encoding.' },
  'LogsBody',
  'ExportLogsServiceRequest',
  logExample,
)

const metricExample = {
  resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'claude_code.session.count', sum: { dataPoints: [] } }] }] }],
}

export const MetricsBody = resources<MetricsRequest>(
  ['resourceMetrics', 'scopeMetrics', 'metrics'],
  { type: 'object', ...open, description: 'A metric in OTLP’s JSON encoding.' },
  'MetricsBody',
  'ExportMetricsServiceRequest',
  metricExample,
)

/** The response is written by hand in the encoding of the request, so this only documents it. */
const answer = (message: string, field: RejectedField, what: string) =>
  Type.Unsafe<string | Buffer>({
    description: `An \`${message}\` in the encoding of the request.`,
    content: {
      'application/json': {
        schema: Type.Object({
          partialSuccess: Type.Optional(
            Type.Object({
              [field]: Type.String({ description: `How many ${what} were not recorded.`, examples: ['1'] }),
              errorMessage: Type.String({ description: 'The reasons, for the first of them.' }),
            }),
          ),
        }),
      },
      [protobufType]: { schema: Type.String({ format: 'binary' }) },
    },
  })

export const TracesAnswer = answer('ExportTraceServiceResponse', 'rejectedSpans', 'spans with usage')
export const LogsAnswer = answer('ExportLogsServiceResponse', 'rejectedLogRecords', 'events of model calls')
export const MetricsAnswer = answer('ExportMetricsServiceResponse', 'rejectedDataPoints', 'data points of usage')

const maxAttributes = 10

const attributesFor = (dimension: MappedDimension, otherwise: string) =>
  Nullable(
    Type.Array(
      Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]+$', examples: ['team.id'] }),
      {
        maxItems: maxAttributes,
        uniqueItems: true,
        description: `Attributes that name the ${dimension.replace('_id', '')}, the first that a span or its resource has, after \`weir.${dimension}\`; null: ${otherwise}.`,
        examples: [['team.id']],
      },
    ),
  )

const builtIn = (dimension: MappedDimension) => builtInAttributes[dimension].map((name) => `\`${name}\``).join(', ')

const mappedFields = {
  workflow_id: attributesFor('workflow_id', builtIn('workflow_id')),
  deployment_id: attributesFor('deployment_id', 'the resource’s `service.name`'),
  department_id: attributesFor('department_id', builtIn('department_id')),
  customer_id: attributesFor('customer_id', builtIn('customer_id')),
  user_id: attributesFor('user_id', builtIn('user_id')),
}

const maxSeats = 200

/** Fields that tell seats with a flat rate from metered usage, as coding assistants report it. */
const seatFields = {
  seat_keys: Nullable(
    Type.Array(Type.String({ maxLength: 40, examples: [exampleId('key')] }), {
      maxItems: maxSeats,
      uniqueItems: true,
      description: 'Keys under which only seats report: whatever their telemetry says. null: none.',
    }),
  ),
  seat_accounts: Nullable(
    Type.Array(Type.String({ ...OwnId, examples: ['3f0c2a4e-8d51-4a7c-9f0e-2b6d1c7a5e93'] }), {
      maxItems: maxSeats,
      uniqueItems: true,
      description:
        'Accounts of seats: a report that names one as `organization.id`, `user.account_uuid` or `user.account_id` is believed. null: none.',
    }),
  ),
  seat_logins: Nullable(
    Type.Boolean({
      description: 'True: a report that says `auth_mode` is `Chatgpt` is believed to be of a seat. null: false.',
      examples: [true],
    }),
  ),
}

export const OtlpMappingInput = Type.Partial(Type.Object({ ...mappedFields, ...seatFields }), {
  examples: [
    { department_id: ['team.id'], customer_id: ['tenant.id'] },
    { seat_accounts: ['3f0c2a4e-8d51-4a7c-9f0e-2b6d1c7a5e93'], seat_logins: true },
  ],
})
export type OtlpMappingInput = Static<typeof OtlpMappingInput>

export const OtlpMapping = Type.Object(
  {
    ...mappedFields,
    ...seatFields,
    created_at: Nullable({ ...Timestamp, description: 'null while nothing is set.' }),
    updated_at: Nullable(Timestamp),
  },
  { title: 'OtlpMapping', description: 'Which attributes name which dimension, and whose usage is that of a seat.' },
)
export type OtlpMapping = Static<typeof OtlpMapping>
