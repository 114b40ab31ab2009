import type { ConsoleRoutes } from '../frame/frame.ts'
import { myUsagePage } from './my-usage-page.ts'
import { focusFile, rowsFile } from './usage-files.ts'
import { usagePage, usagePath } from './usage-page.ts'

/** Pages of usage: the explorer with its files, and what whoever looks has used. */
export function usagePages({ page, download }: ConsoleRoutes) {
  page(usagePath, usagePage)
  download(`${usagePath}/rows.csv`, rowsFile)
  download(`${usagePath}/focus.csv`, focusFile('1.2'))
  download(`${usagePath}/focus-1.4.csv`, focusFile('1.4'))
  page('/console/my-usage', myUsagePage)
}
