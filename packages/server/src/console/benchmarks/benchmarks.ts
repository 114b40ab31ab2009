import type { ConsoleRoutes } from '../frame/frame.ts'
import { benchmarksPath, cohortList, joinCohort, leaveCohort, leavePage } from './cohort-list.ts'
import { cohortPage } from './cohort-page.ts'

/** Pages of benchmarks: cohorts, comparison with one of them, membership. */
export function benchmarkPages({ page, action }: ConsoleRoutes) {
  page(benchmarksPath, cohortList)
  page(`${benchmarksPath}/:cohort_id`, cohortPage)
  action(`${benchmarksPath}/:cohort_id/join`, joinCohort)
  page(`${benchmarksPath}/:cohort_id/leave`, leavePage)
  action(`${benchmarksPath}/:cohort_id/leave`, leaveCohort)
}
