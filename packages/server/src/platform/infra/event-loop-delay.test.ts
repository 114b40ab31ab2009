import { expect, test } from 'vitest'
import { eventually } from '../../../test/support/processes.ts'
import { measureEventLoopDelay } from './event-loop-delay.ts'

const block = (ms: number) => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('one long pause is no overload', async () => {
  const delay = measureEventLoopDelay()
  try {
    block(2_500)
    const until = performance.now() + 1_500
    while (performance.now() < until) {
      expect(delay.currentMs()).toBeLessThan(300)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  } finally {
    delay.close()
  }
})

test('a loop that is late second after second is, until it has caught up', async () => {
  const delay = measureEventLoopDelay()
  let busy = true
  const work = () => {
    block(400)
    if (busy) setImmediate(work)
  }
  try {
    setImmediate(work)
    await eventually(() => delay.currentMs() > 200)
    busy = false
    await eventually(() => delay.currentMs() < 100)
    expect(delay.currentMs()).toBeLessThan(100)
  } finally {
    busy = false
    delay.close()
  }
})
