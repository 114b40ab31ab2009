import {
  badge,
  type FormState,
  facts,
  figures,
  form,
  freeOf,
  freshForm,
  gauge,
  html,
  linkButton,
  money,
  moneyText,
  note,
  nothing,
  pageHead,
  percentOf,
  percentText,
  reasonField,
  section,
  sumUsd,
} from '../components/components.ts'
import { type ConsolePage, type FormValues, messageIn, part, refusedForm, type Visit } from '../frame/frame.ts'
import { freezeAction, freezesOf, frozenBadge, frozenNote, kindText, stateOf } from '../limit-parts/limit-parts.ts'
import { readBudget } from './budget-form.ts'
import { refusedPart, shownRefusals, widerBudgets, widerPart } from './budget-surroundings.ts'

const path = '/console/budgets'
const done: Readonly<Record<string, string>> = {
  created: 'The budget binds from now on.',
  changed: 'The change binds from now on.',
  frozen: 'Frozen. Every new call that it covers is refused from now on.',
  thawed: 'Thawed. It decides again, with what it has counted.',
}

/** One budget: what is spent, held and free of it, and what it covers. */
export async function budgetPage(visit: Visit): Promise<ConsolePage> {
  const { times, may, query } = visit
  const [budget, freezes, refused] = await Promise.all([
    readBudget(visit),
    freezesOf(visit),
    part(
      visit.api.get('/v1/orgs/{id}/refusals', {
        query: { limit_id: visit.params['budget_id'] ?? '', limit: shownRefusals },
      }),
    ),
  ])
  const wider = await part(widerBudgets(visit, budget))
  const freeze = freezes.get(budget.id)
  const places = { name: budget.name, path: `/console/limits/${budget.id}`, from: `${path}/${budget.id}` }
  const { limit_usd: limit, spent_usd: spent, held_usd: held, thresholds } = budget
  const state = stateOf(budget)
  const mayChange = may('limits:write', 'admin')
  const message = messageIn(done, query)
  return {
    title: budget.name,
    here: path,
    body: html`${pageHead(
      html`${budget.name} ${freeze ? frozenBadge : badge(state.text, state.badge, state.icon)}`,
      html`${kindText(budget.scope_kind)} ${budget.scope_id === null ? nothing : html`<code>${budget.scope_id}</code>`}, ${times.day(budget.period_start)} to ${times.day(budget.period_end)}`,
      mayChange
        ? linkButton(`${path}/${budget.id}/edit`, state.tone === 'stop' ? 'Raise limit' : 'Change', { kind: 'primary' })
        : nothing,
      linkButton(`/console/refusals?limit_id=${encodeURIComponent(budget.id)}`, 'Refusals'),
    )}${message === undefined ? nothing : note('info', message)}${freeze ? frozenNote(visit, freeze, places) : nothing}${
      limit === null
        ? figures([{ label: 'Spent', big: money(spent, 'cents'), small: 'no limit' }])
        : figures([
            {
              label: 'Spent and held',
              aside: percentText(percentOf(sumUsd(spent, held), limit)),
              big: money(sumUsd(spent, held), 'cents'),
              small: `of ${moneyText(limit, 'whole')}`,
              gauge: gauge({ spent, held, limit, thresholds, tone: state.tone }),
              foot: html`${money(spent)} spent + ${money(held)} held + ${money(freeOf({ spent, held, limit }))} free = ${money(limit)}`,
            },
            {
              label: 'Refused',
              big: budget.refused_count,
              small: budget.refused_count === 1 ? 'call' : 'calls',
              foot:
                budget.exhausted_at === null
                  ? 'Not used up in this period'
                  : html`${state.text}, since ${times.time(budget.exhausted_at)}`,
            },
          ])
    }${section(
      'About this budget',
      facts([
        ['Id', html`<code>${budget.id}</code>`],
        [
          'When it is used up',
          budget.enforcement === 'block' ? 'Stop: new calls are refused' : 'Only alert: nothing is refused',
        ],
        ['Alerts at', thresholds.length === 0 ? 'none' : thresholds.map((percent) => `${percent}%`).join(', ')],
        ['Starts again', html`every ${budget.period}, next ${times.time(budget.period_end)} (${budget.timezone})`],
        ['Over what was held', money(budget.overrun_usd)],
        ['Reported late', money(budget.late_usd)],
        ['Counts from', times.time(budget.counts_from)],
        ['Changed', times.passed(budget.updated_at)],
      ]),
    )}${widerPart(visit, budget, wider)}${refusedPart(visit, budget, refused)}${
      mayChange
        ? html`<div class="actions gap">${linkButton(`${path}/${budget.id}/delete`, 'Delete', { kind: 'danger', of: budget.name })}${freeze ? nothing : freezeAction(visit, undefined, places)}</div>`
        : nothing
    }`,
  }
}

/** The question before a budget is deleted. */
export async function deleteBudgetPage(visit: Visit, state: FormState = freshForm()): Promise<ConsolePage> {
  const budget = await readBudget(visit)
  return {
    title: `Delete ${budget.name}`,
    here: path,
    status: Object.keys(state.faults).length > 0 || state.fault !== undefined ? 422 : 200,
    body: html`${pageHead(html`Delete ${budget.name}?`)}<div class="narrow-col stack"><p>Calls that it covers are no longer stopped by it. What was spent stays in the ledger and in usage.</p>${form(
      visit.formKeys,
      `${path}/${budget.id}/delete`,
      state,
      reasonField(state),
      {
        submit: 'Delete the budget',
        kind: 'danger solid',
        cancel: `${path}/${budget.id}`,
        cancelText: 'Keep it',
      },
    )}</div>`,
  }
}

/** Deletes a budget, and leads to the others. */
export async function deleteBudget(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  try {
    await visit.api.change('delete', '/v1/orgs/{id}/budgets/{budget_id}', {
      path: { budget_id: visit.params['budget_id'] ?? '' },
      reason: values['reason'],
    })
    return path
  } catch (error) {
    return deleteBudgetPage(visit, refusedForm(error, values))
  }
}
