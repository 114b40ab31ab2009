import { type Static, Type } from 'typebox'
import { Count, Nullable, OneOf, Timestamp } from '../../contract/wire.ts'
import { formats } from './formats.ts'

/** Longest file that is taken, in characters: all of LiteLLM's list fits. */
export const maxFileLength = 4_000_000

const example = JSON.stringify({
  'our-provider': { models: { 'our-model': { cost: { input: 2.5, output: 10 }, limit: { output: 16_384 } } } },
})

export const PriceImportInput = Type.Object(
  {
    file: Type.String({
      minLength: 1,
      maxLength: maxFileLength,
      description:
        'Text of the file: the `data.json` of genai-prices, the `model_prices_and_context_window.json` of LiteLLM or the `api.json` of models.dev, or a part of one.',
      examples: [example],
    }),
    format: Type.Optional(
      Type.Enum([...formats], { description: 'Format of the file; left out: known by its shape.' }),
    ),
    providers: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        maxItems: 50,
        description: 'Only models of these providers, under any of their names; empty or left out: all.',
        examples: [['anthropic']],
      }),
    ),
    only: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 50,
        description:
          'Only models with such a name, with or without their provider; `*` stands for any characters. Empty or left out: all.',
        examples: [['claude-*', 'openai/gpt-5*']],
      }),
    ),
    replace: Type.Optional(
      Type.Boolean({
        description:
          'Removes entries of the chosen providers and names that the file does not have; otherwise they stay.',
      }),
    ),
    with_free: Type.Optional(
      Type.Boolean({ description: 'Takes models, and parts of them, that cost nothing; otherwise they are left out.' }),
    ),
    skip_refused: Type.Optional(
      Type.Boolean({ description: 'Leaves out models with invalid prices; otherwise they refuse the file.' }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: 'Compares, and changes nothing.' })),
    digest: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'The `digest` of a dry run: 409 where the import would not do what the dry run has shown, since prices have changed.',
        examples: ['h5oQ2vGmJ0m7c3m1w5mYt0u0cJ2hXb1vYw3eS6d8f9A'],
      }),
    ),
  },
  { title: 'PriceImportInput', examples: [{ file: example, dry_run: true }] },
)
export type PriceImportInput = Static<typeof PriceImportInput>

const Remark = Type.Object(
  {
    model: Type.String({ description: 'The model as the file names it.', examples: ['anthropic/claude-next-9'] }),
    line: Nullable(Type.Integer({ description: 'Line of the file on which it begins.', examples: [12] })),
    message: Type.String({ examples: ['input is -1'] }),
  },
  { title: 'PriceImportRemark' },
)

const Term = Type.Object(
  {
    term: Type.String({
      description: 'A kind of tokens, above a length of input too; `each` unit; or a tier of service.',
      examples: ['input'],
    }),
    before: Nullable(
      Type.String({
        description: 'In dollars for a million tokens; of units `$` for one, of tiers `×` the price.',
        examples: ['3'],
      }),
    ),
    after: Nullable(Type.String({ examples: ['4'] })),
    difference_percent: Nullable(Type.Number({ examples: [33.3] })),
  },
  { title: 'PriceImportTerm' },
)

export const PriceImport = Type.Object(
  {
    dry_run: Type.Boolean(),
    format: OneOf([...formats]),
    models: { ...Count, description: 'Models of the file.', examples: [1] },
    chosen: { ...Count, description: 'Models of them that are chosen.', examples: [1] },
    added: { ...Count, examples: [1] },
    changed: { ...Count, examples: [0] },
    removed: { ...Count, examples: [0] },
    unchanged: {
      ...Count,
      description: 'Prices of the file that are in effect already, and need no entry.',
      examples: [0],
    },
    kept: { ...Count, description: 'Entries that the file does not have and that stay.', examples: [0] },
    entries: { ...Count, description: 'Entries afterwards.', examples: [42] },
    max_entries: {
      ...Count,
      description: 'The largest number of entries; an import that has more is refused.',
      examples: [1_000],
    },
    changes: Type.Array(
      Type.Object(
        {
          change: OneOf(['added', 'dearer', 'cheaper', 'both', 'removed'], {
            description: '`both`: dearer in one thing, cheaper in another.',
          }),
          model: Type.String(),
          provider: Nullable(Type.String()),
          effective_from: Nullable({
            ...Timestamp,
            description: 'The time from which it is in effect; null: at once.',
          }),
          terms: Type.Array(Term),
        },
        { title: 'PriceImportChange' },
      ),
      { description: 'Compared with what is in effect, from wherever it comes.' },
    ),
    refused: Type.Array(Remark, { description: 'Models with invalid prices.' }),
    left_out: Type.Array(Remark),
    not_expressed: Type.Array(Remark, { description: 'Parts of the file that entries cannot say.' }),
    not_in_file: Type.Array(Remark, { description: 'Parts of prices that the file does not say and that stay.' }),
    digest: Type.String({
      description: 'Stands for everything that the import does; send it with the import to get exactly that.',
      examples: ['h5oQ2vGmJ0m7c3m1w5mYt0u0cJ2hXb1vYw3eS6d8f9A'],
    }),
  },
  { title: 'PriceImport', description: 'Differences that an import makes, or would make.' },
)
export type PriceImport = Static<typeof PriceImport>
