import { Type } from 'typebox'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { IsoDate } from '../../contract/wire.ts'

export const DeprecationEntry = Type.Object(
  {
    route: Type.String({ description: 'Route template.', examples: ['/v1/forecast'] }),
    method: Type.String({ examples: ['GET'] }),
    since: IsoDate,
    sunset: Type.String({
      description: 'IMF-fixdate after which the route may be removed.',
      examples: ['Wed, 31 Dec 2036 23:59:59 GMT'],
    }),
    replacement: Type.Optional(
      Type.String({ description: 'Route of the successor, if there is one.', examples: ['/v1/capacity/forecasts'] }),
    ),
    documentation: Type.String({ examples: ['https://weir.example.com/docs/deprecations#forecast'] }),
  },
  { title: 'DeprecationEntry' },
)

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
