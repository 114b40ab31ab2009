import type { Schemas } from '../api/api.ts'
import {
  checkField,
  type FormState,
  freshForm,
  html,
  optionField,
  selectField,
  textArea,
  textField,
} from '../components/components.ts'
import { type ConsolePage, countIn, type FormValues, formPage, refusedForm, type Visit } from '../frame/frame.ts'
import { orgsPath, ownerKeyPage } from './org-list.ts'
import { readOrg } from './org-page.ts'
import { rateLines, readRateLines, unavailableChoices } from './rate-lines.ts'

/** A form about one organization: its page, and what it does when it is sent. */
interface OrgForm {
  readonly show: (visit: Visit) => Promise<ConsolePage>
  readonly take: (visit: Visit, values: FormValues) => Promise<string | ConsolePage>
}

/** Returns the two routes of a form: the page, and the answer to it. A refusal shows the page again. */
function orgForm(
  name: string,
  look: (org: Schemas['Org'], state: FormState) => Omit<Parameters<typeof formPage>[2], 'here' | 'action' | 'cancel'>,
  read: (visit: Visit) => Promise<Readonly<Record<string, string>>>,
  send: (visit: Visit, values: FormValues, path: { org_id: string }) => Promise<string | ConsolePage>,
): OrgForm {
  const page = async (visit: Visit, state: FormState) => {
    const org = await readOrg(visit)
    return formPage(visit, state, {
      here: orgsPath,
      action: `${orgsPath}/${org.id}/${name}`,
      cancel: `${orgsPath}/${org.id}`,
      ...look(org, state),
    })
  }
  return {
    show: async (visit) => page(visit, freshForm(await read(visit))),
    take: async (visit, values) => {
      const orgId = visit.params['org_id'] ?? ''
      try {
        const made = await send(visit, values, { org_id: orgId })
        return typeof made === 'string' ? `${orgsPath}/${orgId}?done=${made}` : made
      } catch (error) {
        return page(visit, error instanceof FormFault ? { values, faults: error.faults } : refusedForm(error, values))
      }
    },
  }
}

/** A fault that the form itself finds. */
class FormFault extends Error {
  readonly faults: Readonly<Record<string, string>>

  constructor(faults: Readonly<Record<string, string>>) {
    super('The form has faults.')
    this.faults = faults
  }
}

const reasonOf = ({ reason = '' }: FormValues) => (reason.trim() === '' ? {} : { reason })

export const suspendForm = orgForm(
  'suspend',
  ({ name }, state) => ({
    title: `Suspend ${name}?`,
    sub: 'Its keys and sessions are refused from the next request on, on every server. Runs that go on may finish. It can be resumed.',
    submit: 'Suspend the organization',
    kind: 'danger solid',
    body: textField(state, { name: 'reason', label: 'Reason', isOptional: true, hint: 'On its audit log.' }),
  }),
  async () => ({ reason: '' }),
  async ({ api }, values, path) => {
    await api.change('post', '/v1/admin/orgs/{org_id}/suspend', {
      path,
      body: reasonOf(values),
    })
    return 'suspended'
  },
)

export const resumeForm = orgForm(
  'resume',
  ({ name }, state) => ({
    title: `Resume ${name}`,
    sub: 'Its keys work again from the next request on.',
    submit: 'Resume the organization',
    body: textField(state, { name: 'reason', label: 'Reason', isOptional: true }),
  }),
  async () => ({ reason: '' }),
  async ({ api }, values, path) => {
    await api.change('post', '/v1/admin/orgs/{org_id}/resume', {
      path,
      body: reasonOf(values),
    })
    return 'resumed'
  },
)

export const planForm = orgForm(
  'plan',
  ({ name }, state) => ({
    title: `Plan of ${name}`,
    submit: 'Save plan',
    body: html`${textField(state, { name: 'name', label: 'Name', isRequired: true })}${textField(state, { name: 'runs_per_month', label: 'Runs a month', isOptional: true, hint: 'Empty: any number.' })}${textField(state, { name: 'tokens_per_month', label: 'Tokens a month', isOptional: true, hint: 'Empty: any number.' })}${optionField(
      state,
      {
        name: 'overage_policy',
        label: 'When it is used up',
        choices: [
          { value: 'block', text: 'Stop', consequence: 'New calls are refused.' },
          { value: 'allow', text: 'Go on', consequence: 'More is counted, nothing is refused.' },
        ],
      },
    )}`,
  }),
  async ({ api, params }) => {
    const plan = await api.get('/v1/admin/orgs/{org_id}/plan', { path: { org_id: params['org_id'] ?? '' } })
    return {
      name: plan.name ?? '',
      runs_per_month: String(plan.runs_per_month ?? ''),
      tokens_per_month: String(plan.tokens_per_month ?? ''),
      overage_policy: plan.overage_policy ?? 'block',
    }
  },
  async ({ api }, values, path) => {
    await api.change('put', '/v1/admin/orgs/{org_id}/plan', {
      path,
      body: {
        name: values['name'] ?? '',
        runs_per_month: countIn(values['runs_per_month']),
        tokens_per_month: countIn(values['tokens_per_month']),
        overage_policy: values['overage_policy'] === 'allow' ? 'allow' : 'block',
      },
    })
    return 'saved'
  },
)

export const topUpForm = orgForm(
  'top-up',
  ({ name }, state) => ({
    title: `Top up ${name}`,
    sub: 'From its first top-up on an organization spends no more than what is prepaid.',
    submit: 'Top up',
    body: html`${textField(state, { name: 'amount_usd', label: 'Amount in US dollars', prefix: '$', isRequired: true, hint: 'Written without commas, such as 500 or 12.50.' })}${textField(state, { name: 'name', label: 'Name', isOptional: true, hint: 'Such as the number of an invoice.' })}`,
  }),
  async () => ({ amount_usd: '', name: '' }),
  async ({ api }, values, path) => {
    const name = (values['name'] ?? '').trim()
    await api.change('post', '/v1/admin/orgs/{org_id}/quota/top-ups', {
      path,
      body: { amount_usd: (values['amount_usd'] ?? '').trim().replace(/^\$/, ''), ...(name !== '' && { name }) },
    })
    return 'topped'
  },
)

export const ratesForm = orgForm(
  'rates',
  ({ name }, state) => ({
    title: `Rates of ${name}`,
    submit: 'Save rates',
    body: html`<div class="all">${checkField(state, { name: 'default_rates', label: 'The limits of the installation apply', hint: 'Then the lines below must be empty.' })}</div><div class="all">${textArea(state, { name: 'policies', label: 'Limits', rows: 6, isCode: true, isOptional: true, hint: 'One a line: requests per key: 600 in 60 s. First requests, tokens or quota; then per org, key, route_class or model, and which one if only one is meant.' })}</div>${textField(state, { name: 'read_rpm', label: 'Reads a minute', isOptional: true, hint: 'Empty: no limit.' })}${selectField(state, { name: 'on_unavailable', label: 'While Redis is away', choices: unavailableChoices })}`,
  }),
  async ({ api, params }) => {
    const rates = await api.get('/v1/admin/orgs/{org_id}/rate-limits', { path: { org_id: params['org_id'] ?? '' } })
    return {
      default_rates: String(rates.default_rates),
      policies: rates.default_rates ? '' : rateLines(rates.policies),
      read_rpm: String(rates.read_rpm ?? ''),
      on_unavailable: rates.on_unavailable,
    }
  },
  async ({ api }, values, path) => {
    const policies = readRateLines(values['policies'] ?? '')
    if (!policies)
      throw new FormFault({ policies: 'Write each limit on a line of its own: requests per key: 600 in 60 s' })
    await api.change('put', '/v1/admin/orgs/{org_id}/rate-limits', {
      path,
      body: {
        default_rates: values['default_rates'] === 'true',
        policies,
        read_rpm: countIn(values['read_rpm']),
        on_unavailable: (values['on_unavailable'] ?? 'local') as 'local' | 'deny' | 'allow',
      },
    })
    return 'saved'
  },
)

export const ownerKeyForm = orgForm(
  'owner-key',
  ({ name }, state) => ({
    title: `New owner’s key of ${name}`,
    sub: 'For an organization that has lost its own. It is on its audit log.',
    submit: 'Create and show it',
    body: html`${textField(state, { name: 'name', label: 'Name', isRequired: true })}${textField(state, { name: 'last_day', label: 'Last day', type: 'date', isOptional: true })}`,
  }),
  async () => ({ name: '', last_day: '' }),
  async ({ api, times }, values, path) => {
    const { name = '', last_day = '' } = values
    const key = await api.change('post', '/v1/admin/orgs/{org_id}/owner-keys', {
      path,
      body: { name, ...(last_day !== '' && { expires_at: times.endOfDay(last_day) ?? last_day }) },
    })
    return ownerKeyPage(path.org_id, path.org_id, key.secret)
  },
)
