import type { ConsoleRoutes } from '../frame/frame.ts'
import { singleLimitPages } from '../limit-parts/limit-parts.ts'
import {
  chainPage,
  changeBounds,
  deleteBounds,
  deleteBoundsPage,
  editBoundsPage,
  newBoundsPage,
} from './chain-pages.ts'
import {
  changeConcurrency,
  changeConcurrencyDefault,
  createConcurrency,
  deleteConcurrency,
  deleteConcurrencyPage,
  editConcurrencyDefaultPage,
  editConcurrencyPage,
  newConcurrencyPage,
  removeConcurrencyDefault,
  removeConcurrencyDefaultPage,
} from './concurrency-forms.ts'
import { concurrencyPage } from './concurrency-list.ts'
import {
  changeDefault,
  defaultPage,
  defaultsPage,
  editDefaultPage,
  removeDefault,
  removeDefaultPage,
} from './default-pages.ts'
import { freezePages, frozenPage } from './freeze-pages.ts'
import { organizationPage } from './organization-page.ts'
import { spendCap } from './spend-cap-form.ts'

/** Pages of limits that are no budgets: the spend cap, runs at once, default budgets, chains, and what is frozen. */
export function limitPages(routes: ConsoleRoutes) {
  const { page, action } = routes
  page('/console/limits', organizationPage)
  singleLimitPages(routes, spendCap)

  page('/console/limits/concurrency', concurrencyPage)
  page('/console/limits/concurrency/new', newConcurrencyPage)
  action('/console/limits/concurrency', createConcurrency)
  page('/console/limits/concurrency/:concurrency_limit_id/edit', editConcurrencyPage)
  action('/console/limits/concurrency/:concurrency_limit_id/edit', changeConcurrency)
  page('/console/limits/concurrency/:concurrency_limit_id/delete', deleteConcurrencyPage)
  action('/console/limits/concurrency/:concurrency_limit_id/delete', deleteConcurrency)
  page('/console/limits/concurrency-defaults/:scope_kind/edit', editConcurrencyDefaultPage)
  action('/console/limits/concurrency-defaults/:scope_kind/edit', changeConcurrencyDefault)
  page('/console/limits/concurrency-defaults/:scope_kind/delete', removeConcurrencyDefaultPage)
  action('/console/limits/concurrency-defaults/:scope_kind/delete', removeConcurrencyDefault)

  page('/console/limits/defaults', defaultsPage)
  page('/console/limits/defaults/:scope_kind', defaultPage)
  page('/console/limits/defaults/:scope_kind/edit', editDefaultPage)
  action('/console/limits/defaults/:scope_kind/edit', changeDefault)
  page('/console/limits/defaults/:scope_kind/delete', removeDefaultPage)
  action('/console/limits/defaults/:scope_kind/delete', removeDefault)

  page('/console/limits/chains', chainPage)
  page('/console/limits/chains/new', newBoundsPage)
  page('/console/limits/chains/edit', editBoundsPage)
  action('/console/limits/chains', changeBounds)
  page('/console/limits/chains/delete', deleteBoundsPage)
  action('/console/limits/chains/delete', deleteBounds)

  page('/console/limits/frozen', frozenPage)
  freezePages(routes)
}
