import type { ConsoleRoutes } from '../frame/frame.ts'
import { showbackFile } from './showback-file.ts'
import { showbackPage } from './showback-page.ts'
import { showbackPath } from './showback-view.ts'

/** Pages of showback: what each part of the organization spent in a month. */
export function showbackPages({ page, download }: ConsoleRoutes) {
  page(showbackPath, showbackPage)
  download(`${showbackPath}/showback.csv`, showbackFile)
}
