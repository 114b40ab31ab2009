import type { Static, TSchema } from 'typebox'

/** One kind of event: what has happened, for the people who will read of it, and what is told. */
export interface Kind<S extends TSchema = TSchema> {
  readonly description: string
  readonly data: S
  readonly example: Static<S>
}

export const kind = <S extends TSchema>(description: string, data: S, example: Static<S>): Kind<S> => ({
  description,
  data,
  example,
})

/** Written only where a subscription names it: there may be thousands a second. */
export const optIn = <S extends TSchema>(of: Kind<S>): Kind<S> & { readonly optIn: true } => ({ ...of, optIn: true })
