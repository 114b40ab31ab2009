import type { Schemas } from '../api/api.ts'
import { type FormState, freshForm, html, moneyValue, textField } from '../components/components.ts'
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
import { installationPath } from './installation-list.ts'
import { pricesPath } from './price-list.ts'

type Price = Schemas['OwnPrice']

/** Owner of a price: an organization, or the installation for all of them. */
type PriceHome = 'org' | 'installation'

const paths = { org: pricesPath, installation: installationPath } as const
const idIn = ({ params }: Visit) => ({ price_id: params['price_id'] ?? '' })

const amounts = [
  ['input_usd_per_million', 'Input', true],
  ['output_usd_per_million', 'Output', true],
  ['cache_read_usd_per_million', 'Read from the cache', false],
  ['cache_write_usd_per_million', 'Written to the cache', false],
] as const

const show = (visit: Visit, home: PriceHome, state: FormState, id?: string): ConsolePage =>
  formPage(visit, state, {
    title: id === undefined ? 'New price' : `Price of ${state.values['model'] ?? ''}`,
    sub:
      home === 'installation'
        ? 'In US dollars for a million tokens. It counts in every organization that has no price of its own.'
        : 'In US dollars for a million tokens. It takes the place of the list price.',
    here: paths[home],
    action: id === undefined ? paths[home] : `${paths[home]}/${id}/edit`,
    body: html`${textField(state, {
      name: 'model',
      label: 'Model',
      hint: 'As your calls name it.',
      isRequired: true,
    })}${textField(state, { name: 'provider', label: 'Provider', hint: 'Empty for any.', isOptional: true })}${amounts.map(
      ([name, label, isRequired]) =>
        textField(state, { name, label, prefix: '$', ...(isRequired ? { isRequired } : { isOptional: true }) }),
    )}${textField(state, { name: 'max_output_tokens', label: 'Output tokens, at most', hint: 'What a call holds for that names no maximum.', isOptional: true })}${textField(
      state,
      {
        name: 'effective_from',
        label: 'In effect from',
        type: 'date',
        hint: 'From the beginning of that day, UTC. Empty for at once.',
        isOptional: true,
      },
    )}`,
    submit: id === undefined ? 'Create price' : 'Save changes',
    cancel: paths[home],
  })

/** Returns a price as the API takes it; what the form left empty is left out. */
function bodyOf(values: FormValues) {
  const from = (values['effective_from'] ?? '').trim()
  const given = Object.fromEntries(
    amounts.flatMap(([name]) => {
      const amount = amountIn(values[name])
      return amount === null ? [] : [[name, amount]]
    }),
  )
  return {
    model: (values['model'] ?? '').trim(),
    provider: (values['provider'] ?? '').trim() || null,
    max_output_tokens: countIn(values['max_output_tokens']),
    ...given,
    ...(from !== '' && { effective_from: /^\d{4}-\d{2}-\d{2}$/.test(from) ? `${from}T00:00:00Z` : from }),
  } as never
}

const valuesOf = (price: Price) => ({
  model: price.model,
  provider: price.provider ?? '',
  ...Object.fromEntries(amounts.map(([name]) => [name, moneyValue(price[name])])),
  max_output_tokens: String(price.max_output_tokens ?? ''),
  effective_from: '',
})

const read = (visit: Visit, home: PriceHome): Promise<Price> =>
  home === 'org'
    ? visit.api.get('/v1/orgs/{id}/prices/{price_id}', { path: idIn(visit) })
    : visit.api.get('/v1/admin/prices/{price_id}', { path: idIn(visit) })

async function create(visit: Visit, home: PriceHome, values: FormValues): Promise<string | ConsolePage> {
  const sent = { body: bodyOf(values) }
  try {
    await (home === 'org'
      ? visit.api.change('post', '/v1/orgs/{id}/prices', sent)
      : visit.api.change('post', '/v1/admin/prices', sent))
    return `${paths[home]}?done=set`
  } catch (error) {
    return show(visit, home, refusedForm(error, values))
  }
}

async function change(visit: Visit, home: PriceHome, values: FormValues): Promise<string | ConsolePage> {
  const sent = { path: idIn(visit), body: bodyOf(values) }
  try {
    await (home === 'org'
      ? visit.api.change('patch', '/v1/orgs/{id}/prices/{price_id}', sent)
      : visit.api.change('patch', '/v1/admin/prices/{price_id}', sent))
    return `${paths[home]}?done=set`
  } catch (error) {
    return show(visit, home, refusedForm(error, values), idIn(visit).price_id)
  }
}

async function remove(visit: Visit, home: PriceHome): Promise<string> {
  const sent = { path: idIn(visit) }
  await (home === 'org'
    ? visit.api.change('delete', '/v1/orgs/{id}/prices/{price_id}', sent)
    : visit.api.change('delete', '/v1/admin/prices/{price_id}', sent))
  return `${paths[home]}?done=removed`
}

/** Adds the forms that make, change and delete a price of the organization or of the installation. */
export function addPriceForms({ page, action }: ConsoleRoutes, home: PriceHome) {
  const path = paths[home]
  page(`${path}/new`, async (visit) =>
    show(
      visit,
      home,
      freshForm({ model: visit.query.get('model') ?? '', provider: visit.query.get('provider') ?? '' }),
    ),
  )
  action(path, (visit, values) => create(visit, home, values))
  page(`${path}/:price_id/edit`, async (visit) => {
    const price = await read(visit, home)
    return show(visit, home, freshForm(valuesOf(price)), price.id)
  })
  action(`${path}/:price_id/edit`, (visit, values) => change(visit, home, values))
  page(`${path}/:price_id/delete`, async (visit) => {
    const price = await read(visit, home)
    return questionPage(visit, {
      title: `Delete the price of ${price.model}?`,
      here: path,
      body: html`<p>Calls are charged by the next price that fits, or refused where none does. What was charged stays.</p>`,
      action: `${path}/${price.id}/delete`,
      submit: 'Delete the price',
      cancel: path,
    })
  })
  action(`${path}/:price_id/delete`, (visit) => remove(visit, home))
}
