import type { Schemas } from '../api/api.ts'
import {
  badge,
  type Content,
  countText,
  freeOf,
  html,
  linkButton,
  money,
  nothing,
  section,
  table,
} from '../components/components.ts'
import { type Part, shown, type Visit } from '../frame/frame.ts'
import { kindText, stateOf } from '../limit-parts/limit-parts.ts'

type Budget = Schemas['Budget']

const path = '/console/budgets'
const mostWider = 100

/** Number of refusals that the page of a budget shows. */
export const shownRefusals = 5

/**
 * Returns budgets that count every call that a budget counts: those of the whole organization, and for a budget on a pair, those of either
 * half. Teams and workflows have no parents in the API.
 */
export async function widerBudgets({ api }: Visit, budget: Budget): Promise<readonly Budget[]> {
  const halves =
    budget.and_scope_kind === null
      ? []
      : [
          [budget.scope_kind, budget.scope_id],
          [budget.and_scope_kind, budget.and_scope_id],
        ]
  const lists = await Promise.all([
    api.get('/v1/orgs/{id}/budgets', { query: { scope_kind: 'org', limit: mostWider } }),
    ...halves.map(([kind, id]) =>
      api.get('/v1/orgs/{id}/budgets', { query: { scope_kind: kind, scope_id: id ?? '', limit: mostWider } as never }),
    ),
  ])
  return lists.flatMap(({ data }) => data).filter((one) => one.id !== budget.id && one.and_scope_kind === null)
}

/** The path to a budget: wider budgets that bind its calls too, any of which can refuse them. */
export const widerPart = (visit: Visit, budget: Budget, wider: Part<readonly Budget[]>): Content =>
  shown(wider, visit, (list) =>
    list.length === 0
      ? nothing
      : section(
          'Wider budgets that bind its calls too',
          table(
            [
              {
                name: 'Budget',
                kind: 'who',
                cell: ({ id, name, scope_kind, period }: Budget) =>
                  html`<a class="plain" href="${path}/${id}">${name}</a> <span class="kind">${kindText(scope_kind)}, ${period}</span>`,
              },
              {
                name: 'State',
                kind: 'st',
                cell: (one) => {
                  const state = stateOf(one)
                  return badge(state.text, state.badge, state.icon)
                },
              },
              {
                name: 'Free',
                isNumber: true,
                label: 'Free',
                cell: ({ limit_usd: limit, spent_usd: spent, held_usd: held }) =>
                  limit === null ? 'no limit' : money(freeOf({ spent, held, limit })),
              },
            ],
            list,
            { kind: 'budgets', caption: `Wider budgets than ${budget.name}` },
          ),
        ),
  )

/** The latest calls that a budget has refused, each with a link to why. */
export function refusedPart(visit: Visit, budget: Budget, refused: Part<Schemas['RefusalList']>): Content {
  const all = `/console/refusals?limit_id=${encodeURIComponent(budget.id)}`
  // Whoever may not see refusals is told so on their page.
  if (refused.fault?.status === 403) return nothing
  return shown(refused, visit, ({ data }) =>
    data.length === 0
      ? nothing
      : section(
          'Latest refusals',
          table(
            [
              {
                name: 'Call',
                kind: 'who',
                cell: ({ id, model, workflow_id, customer_id }: Schemas['Refusal']) =>
                  html`<a class="plain" href="${all}&amp;id=${id}">${[workflow_id, customer_id, model].filter(Boolean).join(', ') || 'nothing was named'}</a>`,
              },
              {
                name: 'Needed',
                isNumber: true,
                label: 'Needed',
                cell: ({ explanation }) => money(explanation.price.amount_usd),
              },
              { name: 'Times', isNumber: true, label: 'Times', cell: ({ count }) => `${countText(count)} ×` },
              { name: 'Last', kind: 'nowrap', label: 'Last', cell: ({ last_at }) => visit.times.time(last_at) },
            ],
            data,
            { kind: 'budgets', caption: `Refusals of ${budget.name}` },
          ),
          linkButton(all, 'All', { kind: 'sm quiet', of: `refusals of ${budget.name}` }),
        ),
  )
}
