import type { ErrorObject } from 'ajv'

/** Returns the message of a validation fault, in a sentence for people. */
export const messageOf = ({ keyword, params }: ErrorObject): string =>
  messages[keyword]?.({ params, limit: Number(params['limit']) }) ?? 'Must be valid.'

interface KeywordFault {
  readonly params: ErrorObject['params']
  readonly limit: number
}

const names: Record<string, string> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

const quoted = (value: unknown) => JSON.stringify(value)

const messages: Record<string, (fault: KeywordFault) => string> = {
  type: ({ params }) =>
    `Must be ${[params['type'] as string | string[]]
      .flat()
      .map((type) => names[type])
      .join(' or ')}.`,
  minimum: ({ limit }) => `Must be at least ${limit}.`,
  maximum: ({ limit }) => `Must be at most ${limit}.`,
  exclusiveMinimum: ({ limit }) => `Must be more than ${limit}.`,
  exclusiveMaximum: ({ limit }) => `Must be less than ${limit}.`,
  multipleOf: ({ params }) => `Must be a multiple of ${params['multipleOf']}.`,
  minLength: ({ limit }) => `Must have at least ${limit} characters.`,
  maxLength: ({ limit }) => `Must have at most ${limit} characters.`,
  minItems: ({ limit }) => `Must have at least ${limit} elements.`,
  maxItems: ({ limit }) => `Must have at most ${limit} elements.`,
  minProperties: ({ limit }) => `Must have at least ${limit} fields.`,
  maxProperties: ({ limit }) => `Must have at most ${limit} fields.`,
  uniqueItems: ({ params }) => `Must not have equal elements: those at ${params['j']} and ${params['i']} are equal.`,
  enum: ({ params }) => `Must be one of ${(params['allowedValues'] as unknown[]).join(', ')}.`,
  const: ({ params }) => `Must be ${quoted(params['allowedValue'])}.`,
  propertyNames: () => 'Must not have a field with this name.',
  anyOf: () => 'Must have one of the allowed forms.',
  oneOf: () => 'Must have one of the allowed forms.',
}
