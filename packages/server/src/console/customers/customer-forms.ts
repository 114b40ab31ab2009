import { type FormState, freshForm, html, money, textField } from '../components/components.ts'
import {
  amountIn,
  type ConsolePage,
  countIn,
  type FormValues,
  formPage,
  questionPage,
  refusedForm,
  type Visit,
} from '../frame/frame.ts'
import { limitFields, limitValues, scheduleBody } from '../limit-parts/limit-parts.ts'
import { customerPath, customersPath } from './customer-list.ts'
import { customerIn } from './customer-page.ts'

const limitOfCustomer = '/v1/orgs/{id}/customers/{customer_id}/limit'
const pathOf = (visit: Visit) => customerPath(customerIn(visit).customer_id)

const show = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: `Limit of ${customerIn(visit).customer_id}`,
    sub: 'Calls that name this customer are refused once the limit is used up. It takes the place of the default.',
    here: customersPath,
    action: `${pathOf(visit)}/limit`,
    body: limitFields(state, { hasEnforcement: false }),
    submit: 'Set the limit',
    cancel: pathOf(visit),
  })

export async function setCustomerLimitPage(visit: Visit): Promise<ConsolePage> {
  const { limit_usd, period, timezone, thresholds, next_schedule } = await visit.api.get(limitOfCustomer, {
    path: customerIn(visit),
  })
  return show(
    visit,
    freshForm(
      period === null || timezone === null || thresholds === null
        ? { limit_usd: '', period: 'month', timezone: visit.org.timezone, thresholds: '80' }
        : limitValues({ limit_usd, period, timezone, thresholds, next_schedule }),
    ),
  )
}

export async function setCustomerLimit(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  try {
    await visit.api.change('put', limitOfCustomer, {
      path: customerIn(visit),
      body: scheduleBody(values),
    })
    return `${pathOf(visit)}?done=set`
  } catch (error) {
    return show(visit, refusedForm(error, values))
  }
}

export const removeCustomerLimitPage = async (visit: Visit): Promise<ConsolePage> =>
  questionPage(visit, {
    title: `Remove the limit of ${customerIn(visit).customer_id}?`,
    here: customersPath,
    body: html`<p>The default of customers binds it from then on, if there is one. A limit that is set again begins at zero.</p>`,
    action: `${pathOf(visit)}/limit/delete`,
    submit: 'Remove the limit',
    cancel: pathOf(visit),
  })

export async function removeCustomerLimit(visit: Visit): Promise<string> {
  await visit.api.change('delete', limitOfCustomer, { path: customerIn(visit) })
  return `${pathOf(visit)}?done=removed`
}

const showPack = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: `New credit pack of ${customerIn(visit).customer_id}`,
    sub: 'From its first pack on, the customer spends no more than the packs in force hold.',
    here: customersPath,
    action: `${pathOf(visit)}/packs`,
    body: html`${textField(state, {
      name: 'amount_usd',
      label: 'Amount in US dollars',
      prefix: '$',
      hint: 'Written without commas, such as 50.',
      isRequired: true,
    })}${textField(state, { name: 'name', label: 'Name', isOptional: true })}${textField(state, {
      name: 'priority',
      label: 'Priority',
      hint: 'Lower ones are drawn first; 100 unless you say otherwise.',
      isOptional: true,
    })}${textField(state, {
      name: 'expires_at',
      label: 'Expires on',
      type: 'date',
      hint: 'At the beginning of that day, UTC. Empty for never.',
      isOptional: true,
    })}`,
    submit: 'Create credit pack',
    cancel: pathOf(visit),
  })

export const newPackPage = async (visit: Visit): Promise<ConsolePage> =>
  showPack(visit, freshForm({ amount_usd: '', name: '', priority: '', expires_at: '' }))

/** Returns the beginning of a day in UTC; what is no day goes to the API as it is. */
const dayStart = (text: string) => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)

export async function createPack(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const { name = '', expires_at = '' } = values
  const priority = countIn(values['priority'])
  try {
    await visit.api.change('post', '/v1/orgs/{id}/customers/{customer_id}/credit-packs', {
      path: customerIn(visit),
      body: {
        amount_usd: amountIn(values['amount_usd']) ?? '',
        ...(name.trim() !== '' && { name: name.trim() }),
        ...(priority !== null && { priority }),
        ...(expires_at !== '' && { expires_at: dayStart(expires_at) }),
      },
    })
    return `${pathOf(visit)}?done=created`
  } catch (error) {
    return showPack(visit, refusedForm(error, values))
  }
}

const packIn = ({ params }: Visit) => ({ pack_id: params['pack_id'] ?? '' })

export async function voidPackPage(visit: Visit): Promise<ConsolePage> {
  const { name, id, remaining_usd } = await visit.api.get('/v1/orgs/{id}/credit-packs/{pack_id}', {
    path: packIn(visit),
  })
  return questionPage(visit, {
    title: `Void ${name ?? 'the credit pack'}?`,
    here: customersPath,
    body: html`<p>${money(remaining_usd)} that is left of <code>${id}</code> is forfeited, and cannot be brought back. Calls that run now end as usual.</p>`,
    action: `${pathOf(visit)}/packs/${id}/void`,
    submit: 'Void the pack',
    cancel: pathOf(visit),
  })
}

export async function voidPack(visit: Visit): Promise<string> {
  await visit.api.change('post', '/v1/orgs/{id}/credit-packs/{pack_id}/void', {
    path: packIn(visit),
  })
  return `${pathOf(visit)}?done=voided`
}
