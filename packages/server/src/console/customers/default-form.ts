import { html, textField } from '../components/components.ts'
import { countIn } from '../frame/frame.ts'
import { limitFields, limitValues, type SingleLimit, scheduleBody } from '../limit-parts/limit-parts.ts'
import { customersPath } from './customer-list.ts'

const call = '/v1/orgs/{id}/customer-limit-default'

/** The default limit of customers without one of their own. */
export const customerDefault: SingleLimit = {
  path: '/console/customer-default',
  home: customersPath,
  form: {
    title: 'Default limit of customers',
    sub: 'Each customer without a limit of their own gets a separate limit of this amount.',
    body: (state) =>
      html`${limitFields(state, { hasEnforcement: false })}${textField(state, {
        name: 'max_new_customers_per_day',
        label: 'New customers a day',
        hint: 'Customers beyond this many share one limit, so that made-up ids do not each get their own.',
      })}`,
    submit: 'Set the default',
  },
  question: {
    title: 'Remove the default of customers?',
    body: html`<p>Customers without a limit of their own are then bound only by the limits of the organization.</p>`,
    submit: 'Remove the default',
  },
  read: async ({ api, org }) => {
    const { limit_usd, period, timezone, thresholds, next_schedule, max_new_customers_per_day } = await api.get(call)
    const fields =
      period === null || timezone === null || thresholds === null
        ? { limit_usd: '', period: 'day', timezone: org.timezone, thresholds: '80' }
        : limitValues({ limit_usd, period, timezone, thresholds, next_schedule })
    return { ...fields, max_new_customers_per_day: String(max_new_customers_per_day ?? '10000') }
  },
  set: ({ api }, values) => {
    const most = countIn(values['max_new_customers_per_day'])
    return api.change('put', call, {
      body: { ...scheduleBody(values), ...(most !== null && { max_new_customers_per_day: most }) },
    })
  },
  remove: ({ api }) => api.change('delete', call),
}
