import type { ConsoleRoutes } from '../frame/frame.ts'
import { adjust, adjustPage } from './adjustment-form.ts'
import { adjustmentList, movementList } from './movement-list.ts'

/** Pages of the ledger: every movement on every limit, and corrections. */
export function ledgerPages({ page, action }: ConsoleRoutes) {
  page('/console/ledger', movementList)
  page('/console/ledger/adjustments', adjustmentList)
  page('/console/ledger/adjustments/new', adjustPage)
  action('/console/ledger/adjustments', adjust)
}
