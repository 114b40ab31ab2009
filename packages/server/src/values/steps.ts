/** Runs a generator to its end without yielding, for callers that hold up nobody. */
export function runToCompletion<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
