/** Does something for each item, so many at once; ends with the first failure. */
export async function inParallel<T>(items: Iterable<T>, most: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]()
  const worker = async () => {
    for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: most }, worker))
}
