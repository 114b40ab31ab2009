import { type FormState, freshForm, html, moneyValue, optionField, textField } from '../components/components.ts'
import {
  amountIn,
  type ConsolePage,
  countIn,
  type FormValues,
  formPage,
  refusedForm,
  type Visit,
} from '../frame/frame.ts'
import { pricesPath } from './price-list.ts'

const path = `${pricesPath}/unpriced`

const show = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'Calls without a price',
    sub: 'A call of a model that has no price cannot be counted exactly.',
    here: pricesPath,
    action: path,
    body: html`${optionField(state, {
      name: 'unpriced',
      label: 'A call whose model has no price',
      choices: [
        { value: 'refuse', text: 'Refuse', consequence: 'Whoever makes up a name of a model gets nothing.' },
        { value: 'ceiling', text: 'Hold a fixed amount', consequence: 'It passes, and is held at the amount below.' },
        { value: 'estimate', text: 'Believe the caller', consequence: 'It is held at the estimate that it sends.' },
      ],
    })}${textField(state, { name: 'unpriced_ceiling_usd', label: 'Fixed amount in US dollars', prefix: '$', isOptional: true })}${textField(
      state,
      {
        name: 'min_hold_usd',
        label: 'Least that a call holds, in US dollars',
        prefix: '$',
      },
    )}${textField(state, { name: 'default_max_output_tokens', label: 'Output tokens where a call names none' })}`,
    submit: 'Save changes',
    cancel: pricesPath,
  })

export async function unpricedPage(visit: Visit): Promise<ConsolePage> {
  const { unpriced, unpriced_ceiling_usd, min_hold_usd, default_max_output_tokens } =
    await visit.api.get('/v1/orgs/{id}/prices')
  return show(
    visit,
    freshForm({
      unpriced,
      unpriced_ceiling_usd: unpriced_ceiling_usd === null ? '' : moneyValue(unpriced_ceiling_usd),
      min_hold_usd: moneyValue(min_hold_usd),
      default_max_output_tokens: String(default_max_output_tokens),
    }),
  )
}

export async function setUnpriced(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const least = amountIn(values['min_hold_usd'])
  const tokens = countIn(values['default_max_output_tokens'])
  try {
    await visit.api.change('patch', '/v1/orgs/{id}/prices', {
      body: {
        // A form without the choice must not become the laxest one.
        unpriced: (values['unpriced'] ?? 'refuse') as 'refuse',
        unpriced_ceiling_usd: amountIn(values['unpriced_ceiling_usd']),
        ...(least !== null && { min_hold_usd: least }),
        ...(tokens !== null && { default_max_output_tokens: tokens }),
      },
    })
    return `${pricesPath}?done=settings`
  } catch (error) {
    return show(visit, refusedForm(error, values))
  }
}
