import { type FormState, freshForm, html, textField } from '../components/components.ts'
import { amountIn, type ConsolePage, type FormValues, formPage, refusedForm, type Visit } from '../frame/frame.ts'
import { adjustmentsPath, ledgerPath } from './movement-list.ts'

const show = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'Adjust what is spent',
    sub: 'It cannot be taken back; a mistake is corrected by another adjustment. It is never refused by a limit.',
    here: ledgerPath,
    action: adjustmentsPath,
    body: html`${textField(state, {
      name: 'limit_id',
      label: 'Limit',
      hint: 'Its id: of a budget (bud_), the spend cap (cap_) or the limit of a customer (clm_).',
      isRequired: true,
    })}${textField(state, {
      name: 'customer_id',
      label: 'Customer',
      hint: 'For the limit of a customer only.',
      isOptional: true,
    })}${textField(state, {
      name: 'amount_usd',
      label: 'Amount in US dollars',
      prefix: '$',
      hint: 'Added to what is spent; -12.50 takes it away, to zero at most.',
      isRequired: true,
    })}${textField(state, { name: 'reason', label: 'Reason', isRequired: true })}`,
    submit: 'Adjust',
    cancel: adjustmentsPath,
  })

export const adjustPage = async (visit: Visit): Promise<ConsolePage> =>
  show(visit, freshForm({ limit_id: visit.query.get('limit_id') ?? '', customer_id: '', amount_usd: '', reason: '' }))

export async function adjust(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const customer = (values['customer_id'] ?? '').trim()
  const amount = amountIn((values['amount_usd'] ?? '').replace('−', '-').replace(/^\s*-\s*\$/, '-'))
  try {
    await visit.api.change('post', '/v1/orgs/{id}/ledger/adjustments', {
      body: {
        limit_id: (values['limit_id'] ?? '').trim(),
        amount_usd: amount ?? '',
        ...(customer !== '' && { customer_id: customer }),
        reason: values['reason'] ?? '',
      },
    })
    return `${adjustmentsPath}?done=adjusted`
  } catch (error) {
    return show(visit, refusedForm(error, values))
  }
}
