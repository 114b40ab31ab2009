import type { Schemas } from '../api/api.ts'
import {
  badge,
  type Content,
  type FormState,
  faultSummary,
  freshForm,
  html,
  type Markup,
  note,
  nothing,
  pageHead,
  section,
  textField,
} from '../components/components.ts'
import { type ConsolePage, formStatus, refusedForm, type Visit } from '../frame/frame.ts'
import { effectBadge, rulesPath } from './rule-words.ts'

type Evaluation = Schemas['Evaluation']

const outcomeWords: Readonly<Record<string, readonly [string, 'ok' | 'stop' | 'info' | 'warn']>> = {
  allow: ['Would start', 'ok'],
  block: ['Would be blocked', 'stop'],
  require_approval: ['Would wait for approval', 'info'],
  error: ['Would be refused: the rule fails', 'warn'],
}

const statusWords: Readonly<Record<string, string>> = {
  matched: 'Matches',
  not_matched: 'Does not match',
  failed: 'Fails',
  disabled: 'Off',
  not_applicable: 'Not asked',
}

/** Report on a run that rules decided about: the outcome, then every rule with its reason. */
export const evaluationReport = ({ outcome, decided_by, shadow, rules }: Evaluation): Markup => {
  const [text, kind] = outcomeWords[outcome] ?? [outcome, 'info']
  return section(
    'What the rules say',
    html`<div class="stack gap16"><p class="lead">${badge(text, kind)} ${decided_by === null ? 'No rule decides about it.' : html`“${decided_by.name}” decides: ${decided_by.reason}`}</p>${shadow === null ? nothing : note('', html`Had it been on, “${shadow.name}” in shadow would have decided: ${outcomeWords[shadow.outcome]?.[0] ?? shadow.outcome}.`)}<ul class="todo bare">${rules.map(
      ({ name, effect, status, why, decided, rule_id, shadow: isShadow }) =>
        html`<li><div><p class="what">${rule_id === null ? name : html`<a href="${rulesPath}/${rule_id}">${name}</a>`}</p><p>${statusWords[status] ?? status}${decided ? ' and decides' : ''}${isShadow ? ', in shadow' : ''}. ${why}</p></div>${effectBadge(effect)}</li>`,
    )}</ul></div>`,
  )
}

const fields = [
  ['model', 'Model', 'gpt-5'],
  ['provider', 'Provider', ''],
  ['action', 'Action', 'refund'],
  ['workflow_id', 'Workflow', ''],
  ['department_id', 'Team', ''],
  ['customer_id', 'Customer', ''],
  ['user_id', 'User', ''],
  ['estimated_cost_usd', 'Estimated cost in US dollars', '0.50'],
  ['tags', 'Tags, separated by commas', ''],
] as const

/** Tries the saved rules on a run. The address is the run, so that the answer can be sent to somebody. */
export async function trialPage({ api, query }: Visit): Promise<ConsolePage> {
  const values = Object.fromEntries(fields.map(([name]) => [name, query.get(name) ?? '']))
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  if (!query.has('model')) return pageOf(freshForm(values), nothing)
  const { tags, ...run } = given
  try {
    const found = await api.ask('/v1/orgs/{id}/policies/evaluate', {
      body: {
        run: {
          ...run,
          model: run['model'] ?? '',
          ...(tags !== undefined && {
            tags: tags
              .split(',')
              .map((tag) => tag.trim())
              .filter(Boolean),
          }),
        },
      },
    })
    return pageOf(freshForm(values), evaluationReport(found))
  } catch (error) {
    const names = Object.fromEntries(fields.map(([name]) => [`run.${name}`, name]))
    return pageOf(refusedForm(error, values, names), nothing)
  }
}

const pageOf = (state: FormState, report: Content): ConsolePage => ({
  title: 'Try a run',
  here: rulesPath,
  status: formStatus(state),
  body: html`${pageHead('Try a run', 'How the saved rules decide about a run that you describe. Nothing starts, and nothing is recorded.')}<div class="grid"><div class="w7"><form class="form gap16" method="get" action="${rulesPath}/try">${faultSummary(state)}${fields.map(([name, label, placeholder]) => textField(state, { name, label, placeholder, isOptional: name !== 'model' }))}<div class="end-row left all"><button class="btn primary" type="submit">Ask the rules</button></div></form></div><div class="w5">${report}</div></div>`,
})
