import type { ConsoleRoutes } from '../frame/frame.ts'
import { entryList, exportedLog } from './entry-list.ts'
import { entryPage } from './entry-page.ts'

/** Pages of the audit log, of an organization and of the installation: the list, one entry, and its export. */
export function auditLogPages({ page, download }: ConsoleRoutes) {
  for (const path of ['/console/audit-log', '/console/operator-audit-log']) {
    page(path, entryList)
    download(`${path}/export`, exportedLog)
    page(`${path}/:seq`, entryPage)
  }
}
