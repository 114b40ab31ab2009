/** Long work, cut into steps: done at once, where nobody waits for anything else meanwhile. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
