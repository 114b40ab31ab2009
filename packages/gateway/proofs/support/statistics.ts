/** Returns the value that a share of all is not above. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
