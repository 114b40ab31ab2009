import type { Schemas } from '../api/api.ts'
import {
  badge,
  blank,
  type Column,
  code,
  countText,
  curl,
  html,
  linkButton,
  money,
  note,
  nothing,
  pageHead,
  section,
  table,
} from '../components/components.ts'
import { type ConsolePage, type ConsoleRoutes, messageIn, part, shown, type Visit } from '../frame/frame.ts'
import { addRouteForms } from './route-form.ts'
import { mayTryRoutes, trialPage, tryRoute } from './route-trial.ts'
import { namedModel, routingPath, strategies } from './routing-words.ts'

type Route = Schemas['ModelRoute']
type OwnModel = Schemas['RoutingModel']
type EvalResult = Schemas['EvalResult']

const listSize = 100

const messages = { set: 'The route counts from the next call on.', removed: 'The route is deleted.' }

const routeColumns = (visit: Visit): readonly Column<Route>[] => [
  { name: 'Route', cell: ({ name }) => name },
  { name: 'Chooses', label: 'Chooses', cell: ({ strategy }) => strategies[strategy] ?? strategy },
  {
    name: 'Must pass',
    label: 'Must pass',
    cell: ({ bar }) => (bar === null ? 'nothing' : html`<code>${bar.suite}</code> from ${bar.min_score}`),
  },
  {
    name: 'Among',
    kind: 'all',
    cell: ({ candidates }) =>
      candidates === null
        ? 'all models'
        : html`${candidates.map(({ model, provider, weight }, i) => html`${i > 0 ? ', ' : ''}${namedModel(model, provider)}${weight === null ? nothing : ` (${weight})`}`)}`,
  },
  {
    name: 'Actions',
    isAction: true,
    cell: ({ id, name }) =>
      html`${mayTryRoutes(visit) ? linkButton(`${routingPath}/try?route=${encodeURIComponent(name)}`, 'Try', { kind: 'sm quiet', of: name }) : nothing}${
        visit.may('routing:write', 'admin')
          ? html`${linkButton(`${routingPath}/routes/${id}/edit`, 'Change', { kind: 'sm quiet', of: name })}${linkButton(`${routingPath}/routes/${id}/delete`, 'Delete', { kind: 'sm quiet', of: name })}`
          : nothing
      }`,
  },
]

const modelColumns: readonly Column<OwnModel>[] = [
  { name: 'Model', cell: ({ model, provider }) => namedModel(model, provider) },
  { name: 'State', cell: ({ enabled }) => (enabled ? 'On' : badge('Off', 'line')) },
  { name: 'Region', label: 'Region', cell: ({ region }) => region ?? '' },
  { name: 'Can', kind: 'all', cell: ({ capabilities }) => capabilities.join(', ') },
  {
    name: 'Input, per million',
    isNumber: true,
    label: 'Input',
    cell: ({ price }) => (price === null ? badge('No price', 'warn') : money(price.input_usd_per_million, 'cents')),
  },
  {
    name: 'Output, per million',
    isNumber: true,
    label: 'Output',
    cell: ({ price }) => (price === null ? nothing : money(price.output_usd_per_million, 'cents')),
  },
]

const evalColumns = ({ times }: Visit): readonly Column<EvalResult>[] => [
  { name: 'Suite', cell: ({ suite }) => suite },
  { name: 'Model', label: 'Model', cell: ({ model, provider }) => namedModel(model, provider) },
  { name: 'Score', isNumber: true, label: 'Score', cell: ({ score }) => score },
  { name: 'Samples', isNumber: true, label: 'Samples', cell: ({ samples }) => countText(samples) },
  { name: 'Measured', label: 'Measured', cell: ({ measured_at }) => times.passed(measured_at) },
]

/** The choice of models: routes, the models that they choose from, and the latest results of evals. */
async function routingPage(visit: Visit): Promise<ConsolePage> {
  const { api, org } = visit
  const [routes, models, evals] = await Promise.all([
    api.get('/v1/orgs/{id}/routes', { query: { sort: 'name', limit: listSize } }),
    part(api.get('/v1/orgs/{id}/models', { query: { sort: 'model', limit: listSize } })),
    part(api.get('/v1/orgs/{id}/evals', { query: { sort: '-created_at', limit: listSize } })),
  ])
  const message = messageIn(messages, visit.query)
  const first = { name: 'support-chat', strategy: 'cheapest', bar: null }
  return {
    title: 'Routing',
    here: routingPath,
    body: html`${pageHead('Routing', 'A route chooses a model for a call, among those that are good enough. Models and results of evals are changed through the API.', visit.may('routing:write', 'admin') ? linkButton(`${routingPath}/routes/new`, 'New route', { kind: 'primary', iconName: 'plus' }) : nothing)}${message === undefined ? nothing : note('info', message)}${section(
      'Routes',
      routes.data.length === 0
        ? html`${blank('No route yet', 'With a route a caller asks for a job, and gets the cheapest model that passes your evals.')}${code('Terminal', curl('POST', `/v1/orgs/${org.id}/routes`, first), 'the command for a route')}`
        : table(routeColumns(visit), routes.data, { caption: 'Routes' }),
    )}${section(
      'Models',
      shown(models, visit, ({ data }) =>
        data.length === 0
          ? html`${blank('No model yet', 'Routes choose from the models that you add.')}${code('Terminal', curl('POST', `/v1/orgs/${org.id}/models`, { model: 'gpt-4o', provider: 'openai' }), 'the command for a model')}`
          : table(modelColumns, data, { caption: 'Models' }),
      ),
    )}${section(
      'Latest results of evals',
      shown(evals, visit, ({ data }) =>
        data.length === 0
          ? blank('No result yet', 'Post the scores of your own suites, and routes can demand them.')
          : table(evalColumns(visit), data, { caption: 'Results of evals' }),
      ),
    )}`,
  }
}

/** Pages of routing: what is configured, the forms of routes, and one to try them. */
export function routingPages(routes: ConsoleRoutes) {
  const { page, action } = routes
  page(routingPath, routingPage)
  page(`${routingPath}/try`, trialPage)
  action(`${routingPath}/try`, tryRoute)
  addRouteForms(routes)
}
