import type { Schemas } from '../api/api.ts'
import {
  type Content,
  type FormState,
  form,
  freshForm,
  html,
  money,
  note,
  nothing,
  pageHead,
  section,
  textField,
} from '../components/components.ts'
import { type ConsolePage, countIn, type FormValues, formStatus, refusedForm, type Visit } from '../frame/frame.ts'
import { namedModel, routingPath } from './routing-words.ts'

const tryPath = `${routingPath}/try`

/** True for whoever may ask a route for its choice: a request with a body, which support access that only reads may not send. */
export const mayTryRoutes = ({ caller, may }: Visit): boolean =>
  may('routing:read', 'member') && (caller.kind !== 'support' || may('routing:write', 'admin'))

const fields = [
  ['department_id', 'Team'],
  ['workflow_id', 'Workflow'],
  ['customer_id', 'Customer'],
] as const

const show = ({ formKeys }: Visit, state: FormState, report: Content = nothing): ConsolePage => ({
  title: 'Try a route',
  here: routingPath,
  status: formStatus(state),
  body: html`${pageHead('Try a route', 'Which model a call would get now, and why the others would not be chosen. Nothing is held, and nothing is called.')}<div class="grid"><div class="w7">${form(
    formKeys,
    tryPath,
    state,
    html`${textField(state, { name: 'route', label: 'Route', isRequired: true })}${textField(state, {
      name: 'input_tokens',
      label: 'Input tokens',
      isOptional: true,
    })}${textField(state, { name: 'max_output_tokens', label: 'Output tokens, at most', isOptional: true })}${fields.map(([name, label]) => textField(state, { name, label, isOptional: true }))}`,
    { submit: 'Choose a model', cancel: routingPath },
  )}</div><div class="w5">${report}</div></div>`,
})

const showTo = (visit: Visit, state: FormState): ConsolePage =>
  mayTryRoutes(visit)
    ? show(visit, state)
    : {
        title: 'Try a route',
        here: routingPath,
        body: html`${pageHead('Try a route')}${note('info', 'You may see routes here, and not try them.')}`,
      }

/** The form on which a route is tried. */
export const trialPage = async (visit: Visit): Promise<ConsolePage> =>
  showTo(visit, freshForm({ route: visit.query.get('route') ?? '', input_tokens: '1000', max_output_tokens: '500' }))

/** Asks for the choice of a route, and shows it beside the form. */
export async function tryRoute(visit: Visit, values: FormValues): Promise<ConsolePage> {
  const [input, output] = [countIn(values['input_tokens']), countIn(values['max_output_tokens'])]
  // The call is kept for the next try, which is another request.
  const state = freshForm(Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'idempotency_key')))
  try {
    const chosen = await visit.api.ask('/v1/routing/decision', {
      body: {
        route: (values['route'] ?? '').trim(),
        ...(input !== null && { input_tokens: input }),
        ...(output !== null && { max_output_tokens: output }),
        ...Object.fromEntries(fields.flatMap(([name]) => (values[name] ? [[name, values[name]]] : []))),
      },
    })
    return show(visit, state, choice(chosen))
  } catch (error) {
    return show(visit, refusedForm(error, values))
  }
}

const choice = ({
  model,
  provider,
  estimated_cost_usd: cost,
  decision_id,
  runners_up,
  excluded,
}: Schemas['RoutingDecision']): Content =>
  html`${note('info', html`<b>${namedModel(model, provider)}</b> would be called, for at most ${money(cost, 'small')}.`)}<p class="small"><a href="/console/decisions/${decision_id}">How every limit was checked</a></p>${
    runners_up.length === 0
      ? nothing
      : section(
          'Next in order',
          html`<ol>${runners_up.map((one) => html`<li>${namedModel(one.model, one.provider)}, ${money(one.estimated_cost_usd, 'small')}</li>`)}</ol>`,
        )
  }${
    excluded.length === 0
      ? nothing
      : section(
          'Not chosen',
          html`<ul>${excluded.map((one) => html`<li>${namedModel(one.model, one.provider)}: ${one.reasons.map(({ message }) => message).join(' ')}</li>`)}</ul>`,
        )
  }`
