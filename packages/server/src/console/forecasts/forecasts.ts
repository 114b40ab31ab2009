import type { ConsoleRoutes } from '../frame/frame.ts'
import { forecastPage } from './forecast-page.ts'
import { addScenario, freshScenario } from './scenario-form.ts'

/** Pages of forecasts: what usage will be, and what scenarios would change. */
export function forecastPages({ page, action }: ConsoleRoutes) {
  page('/console/forecasts', forecastPage)
  page('/console/forecasts/scenario', async (visit) => freshScenario(visit))
  action('/console/forecasts/scenario', addScenario)
}
