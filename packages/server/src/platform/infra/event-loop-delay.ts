import { monitorEventLoopDelay } from 'node:perf_hooks'

const sampleMs = 20
const windowMs = 1_000
const windows = 3

/**
 * Delay of the event loop: the minimum over the mean delays of the last seconds. A process that was paused once, by the machine
 * or by one long task, has caught up a second later; one that is overloaded is late in every one of them.
 */
export interface EventLoopDelay {
  readonly currentMs: () => number
  readonly close: () => void
}

export function measureEventLoopDelay(): EventLoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: sampleMs })
  histogram.enable()
  const means: number[] = Array.from({ length: windows }, () => 0)
  let delayMs = 0
  const timer = setInterval(() => {
    // The histogram measures the whole gap between two samples; the sampling interval itself is not delay.
    means.push(histogram.count > 0 ? Math.max(0, histogram.mean / 1e6 - sampleMs) : 0)
    means.shift()
    delayMs = Math.min(...means)
    histogram.reset()
  }, windowMs).unref()
  return {
    currentMs: () => delayMs,
    close: () => {
      clearInterval(timer)
      histogram.disable()
    },
  }
}
