import { inspect } from 'node:util'

/** A value that must not be printed: it shows itself as `[secret]` wherever something turns it into text by accident. */
export interface Secret {
  readonly reveal: () => string
  readonly toString: () => string
}

export function secret(value: string): Secret {
  const hidden = () => '[secret]'
  return Object.freeze({ reveal: () => value, toString: hidden, toJSON: hidden, [inspect.custom]: hidden })
}
