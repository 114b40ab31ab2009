import type { ConsoleRoutes } from '../frame/frame.ts'
import { differencesFile } from './difference-file.ts'
import { createReconciliation, newReconciliationPage } from './new-form.ts'
import { reconciliationList, reconciliationsPath } from './reconciliation-list.ts'
import { reconciliationPage } from './reconciliation-page.ts'

/** Pages of reconciliations: bills of providers that were compared with runs. */
export function reconciliationPages({ page, fileAction, download }: ConsoleRoutes) {
  page(reconciliationsPath, reconciliationList)
  page(`${reconciliationsPath}/new`, newReconciliationPage)
  fileAction(`${reconciliationsPath}/new`, createReconciliation)
  page(`${reconciliationsPath}/:reconciliation_id`, reconciliationPage)
  download(`${reconciliationsPath}/:reconciliation_id/differences.csv`, differencesFile)
}
