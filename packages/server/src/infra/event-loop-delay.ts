import { monitorEventLoopDelay } from 'node:perf_hooks'

const sampleMs = 20

/** How late this process is: the mean of the event loop's delay over the last second, so that one pause is no overload. */
export interface EventLoopDelay {
  readonly currentMs: () => number
  readonly close: () => void
}

export function measureEventLoopDelay(): EventLoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: sampleMs })
  histogram.enable()
  let delayMs = 0
  const timer = setInterval(() => {
    // The histogram measures the whole gap between two samples, of which the sampling interval is no delay.
    if (histogram.count > 0) delayMs = Math.max(0, histogram.mean / 1e6 - sampleMs)
    histogram.reset()
  }, 1_000).unref()
  return {
    currentMs: () => delayMs,
    close: () => {
      clearInterval(timer)
      histogram.disable()
    },
  }
}
