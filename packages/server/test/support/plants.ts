/**
 * Planted faults of a storm that this run tries. One at random keeps the gate short; `WEIR_ALL_PLANTS=1` tries all of them.
 */
export function plantsOf<T>(plants: readonly T[], seed: number): readonly T[] {
  return process.env['WEIR_ALL_PLANTS'] === '1'
    ? plants
    : plants.slice(seed % plants.length, (seed % plants.length) + 1)
}
