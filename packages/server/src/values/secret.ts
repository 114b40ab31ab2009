import { inspect } from 'node:util'

/** A string that must not be printed: anything that converts it to text by accident gets `[secret]`. */
export interface Secret {
  readonly reveal: () => string
  readonly toString: () => string
}

export function secret(value: string): Secret {
  const hidden = () => '[secret]'
  return Object.freeze({ reveal: () => value, toString: hidden, toJSON: hidden, [inspect.custom]: hidden })
}
