/** A promise was broken. */
export class Broken extends Error {}

export function must(condition: boolean, promise: string): asserts condition {
  if (!condition) throw new Broken(promise)
}
