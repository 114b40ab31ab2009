import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AutoETS, initSync as initEts } from '@bsull/augurs/ets'
import { initSync as initMstl, MSTL } from '@bsull/augurs/mstl'
import { week } from './series.ts'

/** The library's methods. They are fitted again for each forecast, and so tested at few origins only. */

export type FittedMethod = 'mstl+ets' | 'ets'

/** The number of days to fit: fitting takes 0.1 ms per value, and older values change little. */
const fittedDays = 10 * week
const minFittedDays = 4 * week

const bytesOf = (part: 'mstl' | 'ets') =>
  readFileSync(fileURLToPath(import.meta.resolve(`@bsull/augurs/${part}`)).replace(/\.js$/, '_bg.wasm'))

let isInitialised = false
function initLibrary() {
  if (isInitialised) return
  initMstl({ module: bytesOf('mstl') })
  initEts({ module: bytesOf('ets') })
  isInitialised = true
}

export const trainingDays = (origin: number): number => Math.min(fittedDays, origin)

/** Forecasts the values after the first `origin` ones; undefined when the library finds no model. */
export function fitForecast(
  method: FittedMethod,
  values: Float64Array,
  origin: number,
  horizon: number,
): Float64Array | undefined {
  const days = trainingDays(origin)
  if (days < minFittedDays) return undefined
  initLibrary()
  const model = method === 'ets' ? new AutoETS(1, 'ZZN') : MSTL.ets([week])
  try {
    model.fit(values.subarray(origin - days, origin))
    const { point } = model.predict(horizon)
    return point.every(Number.isFinite) ? Float64Array.from(point, (value) => Math.max(0, value)) : undefined
  } catch {
    return undefined
  } finally {
    model.free()
  }
}
