import type { ConsoleRoutes } from '../frame/frame.ts'
import { callerPage } from './caller-page.ts'
import { operatorList } from './operator-list.ts'
import { path } from './surfaces.ts'

/** The page of what is deprecated: for organizations with those who still use it. */
export function deprecationPages({ page }: ConsoleRoutes) {
  page(path, (visit) => (visit.caller.role === 'operator' ? operatorList(visit) : callerPage(visit)))
}
