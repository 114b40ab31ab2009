import type { Schemas } from '../api/api.ts'
import {
  type Content,
  type FormState,
  form,
  freshForm,
  html,
  nothing,
  pageHead,
  reasonField,
  selectField,
  textField,
} from '../components/components.ts'

import { type ConsolePage, type FormValues, refusedForm, type Visit } from '../frame/frame.ts'
import {
  coverChoices,
  kindText,
  limitFields,
  limitTestButton,
  limitTestReport,
  limitValues,
  scheduleBody,
} from '../limit-parts/limit-parts.ts'

type Budget = Schemas['Budget']

const path = '/console/budgets'
/** Returns the fields that a new budget and a changed one have in common, as the API takes them. */
const commonBody = (values: FormValues) => ({
  name: values['name'] ?? '',
  ...scheduleBody(values),
  enforcement: values['enforcement'] === 'alert' ? ('alert' as const) : ('block' as const),
})

const commonFields = (state: FormState) =>
  html`${textField(state, { name: 'name', label: 'Name', isRequired: true })}${limitFields(state, { hasEnforcement: true })}`

/** The form for a new budget; `report` is what a test of it has found. */
export const newBudgetPage = (visit: Visit, state: FormState, report: Content = nothing): ConsolePage => ({
  title: 'New budget',
  here: path,
  status: Object.keys(state.faults).length > 0 || state.fault !== undefined ? 422 : 200,
  body: html`${pageHead('New budget', 'What it covers may spend no more than its limit.')}${form(
    visit.formKeys,
    path,
    state,
    html`${selectField(state, { name: 'scope_kind', label: 'Covers', choices: coverChoices })}${textField(state, {
      name: 'scope_id',
      label: 'Which one',
      hint: 'Its id as your calls send it. Empty for the whole organization.',
      isOptional: true,
    })}${commonFields(state)}${limitTestButton(visit, undefined, `${path}/check`)}`,
    { submit: 'Create budget', cancel: path },
  )}${report}`,
})

export const freshBudget = ({ query, org }: Visit): FormState =>
  freshForm({
    scope_kind: query.get('scope_kind') ?? 'org',
    scope_id: query.get('scope_id') ?? '',
    name: '',
    limit_usd: '',
    period: 'month',
    timezone: org.timezone,
    enforcement: 'block',
    thresholds: '50, 80, 95',
  })

/** Creates a budget from the form, and leads to it; or shows the form with what is wrong. */
export async function createBudget(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const { scope_kind = 'org', scope_id = '' } = values
  try {
    const budget = await visit.api.change('post', '/v1/orgs/{id}/budgets', {
      body: {
        ...commonBody(values),
        scope_kind: scope_kind as Schemas['BudgetInput']['scope_kind'],
        ...(scope_id !== '' && { scope_id }),
      },
    })
    return `${path}/${budget.id}?done=created`
  } catch (error) {
    return newBudgetPage(visit, refusedForm(error, values))
  }
}

/** The form that changes a budget; most often to raise its limit. `report` is what a test of the change has found. */
export const editBudgetPage = (
  visit: Visit,
  budget: Budget,
  state: FormState,
  report: Content = nothing,
): ConsolePage => ({
  title: `Change ${budget.name}`,
  here: path,
  status: Object.keys(state.faults).length > 0 || state.fault !== undefined ? 422 : 200,
  body: html`${pageHead(html`Change ${budget.name}`, html`Covers ${kindText(budget.scope_kind)} ${budget.scope_id === null ? nothing : html`<code>${budget.scope_id}</code>`}`)}${form(
    visit.formKeys,
    `${path}/${budget.id}/edit`,
    state,
    html`${commonFields(state)}${reasonField(state)}${limitTestButton(visit, budget, `${path}/${budget.id}/check`)}`,
    { submit: 'Save changes', cancel: `${path}/${budget.id}` },
  )}${report}`,
})

export const budgetForm = (budget: Budget): FormState => freshForm({ name: budget.name, ...limitValues(budget) })

/** Changes a budget by the form. */
export async function changeBudget(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const budgetId = visit.params['budget_id'] ?? ''
  try {
    await visit.api.change('patch', '/v1/orgs/{id}/budgets/{budget_id}', {
      path: { budget_id: budgetId },
      body: commonBody(values),
      reason: values['reason'],
    })
    return `${path}/${budgetId}?done=changed`
  } catch (error) {
    const state = refusedForm(error, values)
    return editBudgetPage(visit, await readBudget(visit), state)
  }
}

/** Tests a budget as the form describes it on past runs, and shows the form with what was found. Nothing is saved. */
export async function checkBudget(visit: Visit, values: FormValues): Promise<ConsolePage> {
  const budget = visit.params['budget_id'] === undefined ? undefined : await readBudget(visit)
  const show = (state: FormState, report?: Content) =>
    budget === undefined ? newBudgetPage(visit, state, report) : editBudgetPage(visit, budget, state, report)
  const drafted = { scope_kind: values['scope_kind'] ?? 'org', scope_id: values['scope_id'] ?? '' }
  // The draft is kept for the next submission, which is another request.
  const state = freshForm(Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'idempotency_key')))
  try {
    return show(state, await limitTestReport(visit, budget ?? drafted, values))
  } catch (error) {
    return show(refusedForm(error, values, limitFieldNames))
  }
}

/** Fields of a tested limit by their names in the API, and in the form. */
const limitFieldNames = Object.fromEntries(
  ['limit_usd', 'period', 'timezone', 'scope_kind', 'scope_id'].map((name) => [`limit.${name}`, name]),
)

/** Returns the budget that the path names. */
export const readBudget = ({ api, params }: Visit): Promise<Budget> =>
  api.get('/v1/orgs/{id}/budgets/{budget_id}', { path: { budget_id: params['budget_id'] ?? '' } })
