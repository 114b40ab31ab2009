import type { ConsoleRoutes } from '../frame/frame.ts'
import { singleLimitPages } from '../limit-parts/limit-parts.ts'
import {
  createPack,
  newPackPage,
  removeCustomerLimit,
  removeCustomerLimitPage,
  setCustomerLimit,
  setCustomerLimitPage,
  voidPack,
  voidPackPage,
} from './customer-forms.ts'
import { customerList } from './customer-list.ts'
import { customerPage } from './customer-page.ts'
import { customerDefault } from './default-form.ts'

/** Pages of customers: their limits, the default, and what they have prepaid. */
export function customerPages(routes: ConsoleRoutes) {
  const { page, action } = routes
  page('/console/customers', customerList)
  singleLimitPages(routes, customerDefault)
  page('/console/customers/:customer_id', customerPage)
  page('/console/customers/:customer_id/limit', setCustomerLimitPage)
  action('/console/customers/:customer_id/limit', setCustomerLimit)
  page('/console/customers/:customer_id/limit/delete', removeCustomerLimitPage)
  action('/console/customers/:customer_id/limit/delete', removeCustomerLimit)
  page('/console/customers/:customer_id/packs/new', newPackPage)
  action('/console/customers/:customer_id/packs', createPack)
  page('/console/customers/:customer_id/packs/:pack_id/void', voidPackPage)
  action('/console/customers/:customer_id/packs/:pack_id/void', voidPack)
}
