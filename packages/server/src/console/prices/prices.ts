import type { ConsoleRoutes } from '../frame/frame.ts'
import { addPriceImports } from './import-pages.ts'
import { installationPage } from './installation-list.ts'
import { addPriceForms } from './price-forms.ts'
import { pricePage } from './price-list.ts'
import { setUnpriced, unpricedPage } from './unpriced-form.ts'

/** Pages of prices: those in effect for an organization, and those that operators set for the installation. */
export function pricePages(routes: ConsoleRoutes) {
  const { page, action } = routes
  page('/console/prices', pricePage)
  page('/console/prices/unpriced', unpricedPage)
  action('/console/prices/unpriced', setUnpriced)
  addPriceForms(routes, 'org')
  addPriceImports(routes, 'org')
  page('/console/installation-prices', installationPage)
  addPriceForms(routes, 'installation')
  addPriceImports(routes, 'installation')
}
