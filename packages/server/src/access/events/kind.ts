import type { Static, TSchema } from 'typebox'

/** A kind of event: its description for people, and the schema and example of its data. */
export interface EventDefinition<S extends TSchema = TSchema> {
  readonly description: string
  readonly data: S
  readonly example: Static<S>
}

export const kind = <S extends TSchema>(description: string, data: S, example: Static<S>): EventDefinition<S> => ({
  description,
  data,
  example,
})

/** Marks a kind as opt-in: it is written only when a subscription names it, since there may be thousands a second. */
export const optIn = <S extends TSchema>(
  definition: EventDefinition<S>,
): EventDefinition<S> & { readonly optIn: true } => ({ ...definition, optIn: true })
