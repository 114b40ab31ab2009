import { integerArray } from './binary-arrays.ts'

/**
 * Arrays of several rows, one after the other, as one parameter: a statement takes each row's part by its first and last index. An array
 * of arrays would need them to be of one length.
 */
export class Slices<T> {
  private readonly values: T[] = []
  private readonly firsts: number[] = []
  private readonly lasts: number[] = []

  add(row: readonly T[]) {
    this.firsts.push(this.values.length + 1)
    for (const value of row) this.values.push(value)
    this.lasts.push(this.values.length)
  }

  /** Returns the parameters: all values, and for each row the first and last index of its own. */
  parameters(encode: (values: readonly T[]) => Buffer): [all: Buffer, firsts: Buffer, lasts: Buffer] {
    return [encode(this.values), integerArray(this.firsts), integerArray(this.lasts)]
  }
}
