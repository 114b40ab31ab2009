import { Type } from 'typebox'
import { IsoDate } from '../wire.ts'

/** Fields of a deprecated route, wherever the API shows one. */
export const deprecationFields = {
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
}
