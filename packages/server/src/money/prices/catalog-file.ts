/** Test of whether a name is that of a model. */
export type NameMatch =
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string }
  | { readonly or: readonly NameMatch[] }
  | { readonly and: readonly NameMatch[] }

/** Pico-dollars for one token, or one unit, by name. */
export type CatalogRates = Readonly<Record<string, number>>

/** The price of a model from a date on. */
export interface CatalogPrice {
  readonly from?: string
  readonly rates: CatalogRates
  /** All rates of a call with more input than this. */
  readonly tiers?: readonly { readonly above: number; readonly rates: CatalogRates }[]
  readonly units?: CatalogRates
}

export interface CatalogModel {
  readonly id: string
  readonly match: NameMatch
  readonly prices: readonly CatalogPrice[]
}

export interface CatalogProvider {
  readonly id: string
  /** Address at which the provider publishes its prices. */
  readonly url: string
  /** The names whose maker this is. */
  readonly names?: NameMatch
  /** Providers whose models this one sells at their price. */
  readonly fallback?: readonly string[]
  readonly models: readonly CatalogModel[]
}

/** The file that `pnpm generate` makes. */
export interface CatalogFile {
  readonly source: string
  readonly taken: string
  readonly providers: readonly CatalogProvider[]
}
