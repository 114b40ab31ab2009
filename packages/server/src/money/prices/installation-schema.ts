import { type Static, Type } from 'typebox'
import { withCheck } from '../../contract/semantic-check.ts'
import { Nullable, PathId, Timestamp } from '../../contract/wire.ts'
import { maxPrices, OwnPrice, PriceInput, priceFaults } from './schema.ts'

const input = Type.Object(
  { prices: Type.Array(PriceInput, { maxItems: maxPrices }) },
  {
    title: 'InstallationPricesInput',
    examples: [{ prices: [{ model: 'new-model', input_usd_per_million: '2.5', output_usd_per_million: '10' }] }],
  },
)
export type InstallationPricesInput = Static<typeof input>
export const InstallationPricesInput = withCheck(input, ({ prices }) => priceFaults(prices))

export const InstallationPrices = Type.Object(
  { prices: Type.Array(OwnPrice), updated_at: Nullable(Timestamp) },
  { title: 'InstallationPrices', description: 'Prices of models for every organization of the installation.' },
)
export type InstallationPrices = Static<typeof InstallationPrices>

export const InstallationPricePath = Type.Object({ price_id: PathId('price') })
