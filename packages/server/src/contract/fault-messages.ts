import type { ErrorObject } from 'ajv'

/** Returns the message of a validation fault, in a sentence for people. */
export const messageOf = ({ keyword, params }: ErrorObject): string =>
  sentences[keyword]?.({ params, limit: params['limit'] as number }) ?? 'This is not valid.'

interface Fault {
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

const sentences: Record<string, (fault: Fault) => string> = {
  type: ({ params }) =>
    `This must be ${[params['type'] as string | string[]]
      .flat()
      .map((type) => names[type])
      .join(' or ')}.`,
  minimum: ({ limit }) => `This must be at least ${limit}.`,
  maximum: ({ limit }) => `This must be at most ${limit}.`,
  exclusiveMinimum: ({ limit }) => `This must be more than ${limit}.`,
  exclusiveMaximum: ({ limit }) => `This must be less than ${limit}.`,
  multipleOf: ({ params }) => `This must be a multiple of ${params['multipleOf']}.`,
  minLength: ({ limit }) => `This must have at least ${limit} characters.`,
  maxLength: ({ limit }) => `This must have at most ${limit} characters.`,
  minItems: ({ limit }) => `This must have at least ${limit} elements.`,
  maxItems: ({ limit }) => `This must have at most ${limit} elements.`,
  minProperties: ({ limit }) => `This must have at least ${limit} fields.`,
  maxProperties: ({ limit }) => `This must have at most ${limit} fields.`,
  uniqueItems: ({ params }) => `Two elements are equal: those at ${params['j']} and ${params['i']}.`,
  enum: ({ params }) => `This must be one of ${(params['allowedValues'] as unknown[]).join(', ')}.`,
  const: ({ params }) => `This must be ${quoted(params['allowedValue'])}.`,
  propertyNames: () => 'This has a field whose name is not allowed.',
  anyOf: () => 'This has none of the forms that are allowed here.',
  oneOf: () => 'This has none of the forms that are allowed here.',
}
