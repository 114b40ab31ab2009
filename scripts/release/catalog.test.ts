import { expect, test } from 'vitest'
import { catalogFaults } from './catalog.ts'
import type { PublishedError } from './surface.ts'

const details = {
  type: 'object',
  required: ['limit', 'kind', 'resets_at'],
  properties: {
    limit: { anyOf: [{ type: 'string', maxLength: 21 }, { type: 'integer' }] },
    kind: { enum: ['runs', 'tokens'] },
    resets_at: { type: 'string' },
    reason: { type: 'string' },
  },
}
const released: PublishedError[] = [
  { code: 'not_found', statuses: [404], details: { type: 'object', properties: {} } },
  { code: 'quota_exhausted', statuses: [402, 429], details },
]

const withQuota = (change: Partial<PublishedError>): PublishedError[] => [released[0]!, { ...released[1]!, ...change }]
const withField = (name: string, schema: unknown) =>
  withQuota({ details: { ...details, properties: { ...details.properties, [name]: schema } } })
const { reason: _, ...withoutReason } = details.properties

test.each([
  ['a removed code', [released[0]!], 'the error code quota_exhausted was removed'],
  ['a removed status', withQuota({ statuses: [402] }), 'the error code quota_exhausted lost the status 429'],
  [
    'a removed details field',
    withQuota({ details: { ...details, properties: withoutReason } }),
    'quota_exhausted.details.reason was removed',
  ],
  [
    'a changed type',
    withField('reason', { type: 'integer' }),
    'quota_exhausted.details.reason changed its type from string to integer',
  ],
  [
    'a field that may be null',
    withField('resets_at', { anyOf: [{ type: 'string' }, { type: 'null' }] }),
    'quota_exhausted.details.resets_at may now be null',
  ],
  [
    'a removed enum value',
    withField('kind', { enum: ['runs'] }),
    'quota_exhausted.details.kind lost the value "tokens"',
  ],
  [
    'a field that became optional',
    withQuota({ details: { ...details, required: ['limit', 'kind'] } }),
    'quota_exhausted.details.resets_at became optional',
  ],
])('%s breaks the catalog', (_name, current, fault) => {
  expect(catalogFaults(released, current)).toEqual([fault])
})

test.each([
  ['no change', released],
  ['a new code', [...released, { code: 'new', statuses: [400], details: {} }]],
  ['a new status', withQuota({ statuses: [402, 429, 503] })],
  ['a new details field', withField('scope', { type: 'string' })],
  ['a new enum value', withField('kind', { enum: ['runs', 'tokens', 'dollars'] })],
  ['a field that became required', withQuota({ details: { ...details, required: [...details.required, 'reason'] } })],
  ['another description', withField('reason', { type: 'string', description: 'Why.' })],
])('%s is permitted in the catalog', (_name, current) => {
  expect(catalogFaults(released, current)).toEqual([])
})
