import type { ConsoleRoutes } from '../frame/frame.ts'
import { chainPage } from './chain-page.ts'
import { runList } from './run-list.ts'
import { runPage } from './run-page.ts'

/** Pages of runs: the list, one of them, and the chain that runs form. */
export function runPages({ page }: ConsoleRoutes) {
  page('/console/runs', runList)
  page('/console/runs/:run_id', runPage)
  page('/console/chains/:chain_id', chainPage)
}
