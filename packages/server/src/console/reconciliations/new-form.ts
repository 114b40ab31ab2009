import {
  type FormState,
  fileField,
  form,
  freshForm,
  html,
  pageHead,
  textArea,
  textField,
} from '../components/components.ts'
import { amountIn, type ConsolePage, type FormValues, formStatus, refusedForm, type Visit } from '../frame/frame.ts'
import { reconciliationsPath } from './reconciliation-list.ts'

const accept = '.json,.csv,application/json,text/csv'

const show = (visit: Visit, state: FormState): ConsolePage => ({
  title: 'Compare a bill',
  here: reconciliationsPath,
  status: formStatus(state),
  body: html`${pageHead('Compare a bill', 'Files of one provider. Only the result and the digests of the files are kept; no run, limit or price changes.')}${form(
    visit.formKeys,
    `${reconciliationsPath}/new`,
    state,
    html`${fileField(state, { name: 'costs', label: 'Costs', accept, isOptional: true, hint: html`An export of OpenAI or Anthropic, as JSON or CSV. <a href="/docs/finance#which-exports">Which exports</a>` })}${fileField(
      state,
      { name: 'usage', label: 'Usage', accept, isOptional: true, hint: 'With tokens, more differences have a reason.' },
    )}${textArea(state, { name: 'text', label: 'Or the text of a file', rows: 6, isCode: true, isOptional: true })}${textField(
      state,
      {
        name: 'tolerance_usd',
        label: 'Tolerance',
        prefix: '$',
        hint: 'A model that differs by no more than this on a day counts as equal.',
      },
    )}${textField(state, { name: 'from', label: 'First day', type: 'date', isOptional: true, hint: 'In UTC; by default the first of the files.' })}${textField(
      state,
      { name: 'to', label: 'Stop before', type: 'date', isOptional: true },
    )}`,
    { submit: 'Compare', cancel: reconciliationsPath, takesFile: true },
  )}`,
})

export const newReconciliationPage = async (visit: Visit): Promise<ConsolePage> =>
  show(visit, freshForm({ tolerance_usd: '0.01' }))

const day = (text = '') => (text === '' ? undefined : text)

/** Returns the bill that a form describes: each file that was chosen, and the text beside them. */
function bodyOf(values: FormValues) {
  const files = ['costs', 'usage', 'text'].flatMap((name) => {
    const text = values[name] ?? ''
    return text.trim() === '' ? [] : [{ name, text }]
  })
  const [from, to] = [day(values['from']), day(values['to'])]
  return {
    files,
    tolerance_usd: amountIn(values['tolerance_usd'] ?? '') || '0',
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
}

/** Compares a bill, and leads to what was found. */
export async function createReconciliation(visit: Visit, sent: FormValues): Promise<string | ConsolePage> {
  try {
    const { id } = await visit.api.change('post', '/v1/orgs/{id}/reconciliations', { body: bodyOf(sent) })
    return `${reconciliationsPath}/${id}`
  } catch (error) {
    // A chosen file cannot be shown again in its field, and is too long for another one.
    const { costs: _costs, usage: _usage, idempotency_key: _key, csrf_token: _token, ...values } = sent
    return show(visit, refusedForm(error, { text: '', ...values }, { files: 'costs' }))
  }
}
