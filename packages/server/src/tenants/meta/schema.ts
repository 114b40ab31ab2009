import { Type } from 'typebox'
import { deprecationFields } from '../../contract/deprecations/deprecations.ts'
import { ListOf, ListQuery } from '../../contract/lists.ts'

export const DeprecationEntry = Type.Object(deprecationFields, { title: 'DeprecationEntry' })

export const DeprecationListing = Type.Array(DeprecationEntry, { description: 'The deprecated routes.' })

export const ErrorListQuery = ListQuery(
  { code: 'text' },
  {
    status: Type.Integer({
      minimum: 400,
      maximum: 599,
      description: 'Only codes that can have this status.',
      examples: [402],
    }),
  },
  'text',
)

export const ErrorEntry = Type.Object(
  {
    code: Type.String({ examples: ['budget_exceeded'] }),
    statuses: Type.Array(Type.Integer(), { examples: [[402]] }),
    message: Type.String({
      description: 'For people; its wording may change.',
      examples: ['A budget for this period would be exceeded.'],
    }),
    details: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'JSON Schema of `error.details`.',
    }),
  },
  { title: 'ErrorEntry' },
)

export const ErrorList = ListOf(ErrorEntry)

export const OpenApiDocument = Type.Unsafe<object>({
  type: 'object',
  additionalProperties: true,
  description: 'The OpenAPI 3.1 document of this server.',
})
