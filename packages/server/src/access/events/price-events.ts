import { Type } from 'typebox'
import { Count, Id, Nullable, Timestamp, Usd } from '../../contract/wire.ts'
import { kind } from './kind.ts'

const rate = (what: string) => Type.String({ ...Usd, description: `US dollars per million ${what} tokens.` })

/** Events about prices. */
export const priceEvents = {
  'price.changed': kind(
    'Prices of models were changed: entries of the organization’s own were added, changed or removed. One event for all that one request changed; it lists the first 20, and `GET /v1/orgs/{id}/prices` has all. Prices that the operators set for every organization cause none.',
    Type.Object({
      added: Count,
      changed: Count,
      removed: Count,
      prices: Type.Array(
        Type.Object({
          change: Type.String({ description: '`added`, `changed` or `removed`.', examples: ['changed'] }),
          price_id: Id('price'),
          model: Type.String({ examples: ['gpt-4o'] }),
          provider: Nullable(Type.String()),
          effective_from: Timestamp,
          input_usd_per_million: rate('input'),
          output_usd_per_million: rate('output'),
        }),
        { description: 'As they are now; a removed one as it was.' },
      ),
    }),
    {
      added: 0,
      changed: 1,
      removed: 0,
      prices: [
        {
          change: 'changed',
          price_id: 'prc_01jbsteb4peb5vskx602h9mw4q',
          model: 'our-small-model',
          provider: null,
          effective_from: '1970-01-01T00:00:00.000+00:00',
          input_usd_per_million: '2.5',
          output_usd_per_million: '10',
        },
      ],
    },
  ),
}
