import type { Schemas } from '../api/api.ts'
import { type FormState, freshForm, html, selectField, textArea, textField } from '../components/components.ts'
import {
  amountIn,
  type ConsolePage,
  type ConsoleRoutes,
  countIn,
  type FormValues,
  formPage,
  questionPage,
  refusedForm,
  type Visit,
} from '../frame/frame.ts'
import { routingPath, strategies } from './routing-words.ts'

type Route = Schemas['ModelRoute']
type RouteInput = Schemas['RouteInput']

const routesPath = `${routingPath}/routes`
const daySeconds = 86_400

/** Fields of the form, by their names in the API. */
const fieldNames = {
  'bar.suite': 'suite',
  'bar.min_score': 'min_score',
  'bar.min_samples': 'min_samples',
  'bar.max_age_seconds': 'max_age_days',
  'constraints.capabilities': 'capabilities',
  'constraints.regions': 'regions',
  'constraints.max_price_usd': 'max_price_usd',
  'constraints.max_latency_ms': 'max_latency_ms',
  'constraints.min_context_tokens': 'min_context_tokens',
}

const idIn = ({ params }: Visit) => ({ route_id: params['route_id'] ?? '' })
const readRoute = (visit: Visit): Promise<Route> =>
  visit.api.get('/v1/orgs/{id}/routes/{route_id}', { path: idIn(visit) })

const show = (visit: Visit, state: FormState, id?: string): ConsolePage =>
  formPage(visit, state, {
    title: id === undefined ? 'New route' : `Change ${state.values['name'] ?? ''}`,
    sub: 'A caller asks for the route by its name, and gets a model that passes.',
    here: routingPath,
    action: id === undefined ? routesPath : `${routesPath}/${id}/edit`,
    submit: id === undefined ? 'Create route' : 'Save changes',
    cancel: routingPath,
    body: html`${textField(state, { name: 'name', label: 'Name', isRequired: true })}${selectField(state, {
      name: 'strategy',
      label: 'Chooses',
      choices: Object.entries(strategies).map(([value, text]) => ({ value, text })),
    })}${textField(state, { name: 'suite', label: 'Must pass the suite', hint: 'A suite of your evals. Empty: any model may be chosen, measured or not.', isOptional: true })}${textField(
      state,
      { name: 'min_score', label: 'With a score of at least', isOptional: true },
    )}${textField(state, { name: 'min_samples', label: 'Measured on at least so many samples', isOptional: true })}${textField(
      state,
      { name: 'max_age_days', label: 'At most so many days ago', isOptional: true },
    )}${textArea(state, {
      name: 'candidates',
      label: 'Among',
      rows: 4,
      isCode: true,
      isOptional: true,
      hint: 'One a line: model, provider, weight. Provider and weight can be left out; weights are for choosing by weight. Empty: all models.',
    })}${textField(state, { name: 'capabilities', label: 'Must be able to', hint: 'Such as tools, vision.', isOptional: true })}${textField(
      state,
      {
        name: 'regions',
        label: 'In one of the regions',
        hint: 'Such as eu-west-1. Empty: anywhere.',
        isOptional: true,
      },
    )}${textField(state, { name: 'max_price_usd', label: 'A call costs at most, in US dollars', prefix: '$', isOptional: true })}${textField(
      state,
      { name: 'max_latency_ms', label: 'Answers within milliseconds', isOptional: true },
    )}${textField(state, { name: 'min_context_tokens', label: 'Takes at least so many tokens', isOptional: true })}`,
  })

const listed = (text = ''): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)

/** Returns the number of a field; null for an empty one. What is no number goes to the API as it is, to be refused there. */
const numberIn = (text = ''): number | null => {
  const typed = text.trim()
  if (typed === '') return null
  return /^-?\d{1,10}(\.\d{1,9})?$/.test(typed) ? Number(typed) : (typed as never)
}

const candidatesIn = (text = ''): NonNullable<RouteInput['candidates']> | null => {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  if (lines.length === 0) return null
  return lines.map((line) => {
    const [model = '', provider = '', weight = ''] = line.split(',').map((cell) => cell.trim())
    return { model, provider: provider === '' ? null : provider, weight: countIn(weight) }
  })
}

/** Returns the route that a form describes. */
function bodyOf(values: FormValues): RouteInput {
  const suite = (values['suite'] ?? '').trim()
  const samples = countIn(values['min_samples'])
  const days = numberIn(values['max_age_days'])
  return {
    name: (values['name'] ?? '').trim(),
    strategy: (values['strategy'] ?? 'cheapest') as RouteInput['strategy'],
    bar:
      suite === ''
        ? null
        : {
            suite,
            min_score: numberIn(values['min_score']) ?? ('' as never),
            max_age_seconds: typeof days === 'number' ? Math.round(days * daySeconds) : (days ?? ('' as never)),
            ...(samples !== null && { min_samples: samples }),
          },
    candidates: candidatesIn(values['candidates']),
    constraints: {
      capabilities: listed(values['capabilities']),
      regions: listed(values['regions']),
      max_price_usd: amountIn(values['max_price_usd']),
      max_latency_ms: countIn(values['max_latency_ms']),
      min_context_tokens: countIn(values['min_context_tokens']),
    },
  }
}

const textOf = (value: number | null | undefined) => (value == null ? '' : String(value))

const valuesOf = ({ name, strategy, bar, candidates, constraints }: Route): FormValues => ({
  name,
  strategy,
  suite: bar?.suite ?? '',
  min_score: textOf(bar?.min_score),
  min_samples: textOf(bar?.min_samples),
  max_age_days: bar === null ? '' : String(bar.max_age_seconds / daySeconds),
  candidates: (candidates ?? [])
    .map(({ model, provider, weight }) => [model, provider ?? '', textOf(weight)].join(', ').replace(/[, ]+$/, ''))
    .join('\n'),
  capabilities: constraints.capabilities.join(', '),
  regions: constraints.regions.join(', '),
  max_price_usd: constraints.max_price_usd ?? '',
  max_latency_ms: textOf(constraints.max_latency_ms),
  min_context_tokens: textOf(constraints.min_context_tokens),
})

const fresh = freshForm({ name: '', strategy: 'cheapest', suite: '', min_score: '', max_age_days: '14' })

/** Adds the forms that make, change and delete a route. */
export function addRouteForms({ page, action }: ConsoleRoutes) {
  page(`${routesPath}/new`, async (visit) => show(visit, fresh))
  action(routesPath, async (visit, values) => {
    try {
      await visit.api.change('post', '/v1/orgs/{id}/routes', { body: bodyOf(values) })
      return `${routingPath}?done=set`
    } catch (error) {
      return show(visit, refusedForm(error, values, fieldNames))
    }
  })
  page(`${routesPath}/:route_id/edit`, async (visit) => {
    const route = await readRoute(visit)
    return show(visit, freshForm(valuesOf(route)), route.id)
  })
  action(`${routesPath}/:route_id/edit`, async (visit, values) => {
    try {
      await visit.api.change('put', '/v1/orgs/{id}/routes/{route_id}', { path: idIn(visit), body: bodyOf(values) })
      return `${routingPath}?done=set`
    } catch (error) {
      return show(visit, refusedForm(error, values, fieldNames), idIn(visit).route_id)
    }
  })
  page(`${routesPath}/:route_id/delete`, async (visit) => {
    const { id, name } = await readRoute(visit)
    return questionPage(visit, {
      title: `Delete ${name}?`,
      here: routingPath,
      body: html`<p>Calls that ask for this route are refused from then on.</p>`,
      action: `${routesPath}/${id}/delete`,
      submit: 'Delete the route',
      cancel: routingPath,
    })
  })
  action(`${routesPath}/:route_id/delete`, async (visit) => {
    await visit.api.change('delete', '/v1/orgs/{id}/routes/{route_id}', { path: idIn(visit) })
    return `${routingPath}?done=removed`
  })
}
