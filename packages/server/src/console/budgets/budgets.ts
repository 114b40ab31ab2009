import type { ConsoleRoutes } from '../frame/frame.ts'
import {
  budgetForm,
  changeBudget,
  checkBudget,
  createBudget,
  editBudgetPage,
  freshBudget,
  newBudgetPage,
  readBudget,
} from './budget-form.ts'
import { budgetList } from './budget-list.ts'
import { budgetPage, deleteBudget, deleteBudgetPage } from './budget-page.ts'

/** Pages of budgets: the list, one of them, and the forms that make, change and delete them. */
export function budgetPages({ page, action }: ConsoleRoutes) {
  page('/console/budgets', budgetList)
  page('/console/budgets/new', async (visit) => newBudgetPage(visit, freshBudget(visit)))
  action('/console/budgets', createBudget)
  action('/console/budgets/check', checkBudget)
  page('/console/budgets/:budget_id', budgetPage)
  page('/console/budgets/:budget_id/edit', async (visit) => {
    const budget = await readBudget(visit)
    return editBudgetPage(visit, budget, budgetForm(budget))
  })
  action('/console/budgets/:budget_id/edit', changeBudget)
  action('/console/budgets/:budget_id/check', checkBudget)
  page('/console/budgets/:budget_id/delete', (visit) => deleteBudgetPage(visit))
  action('/console/budgets/:budget_id/delete', deleteBudget)
}
