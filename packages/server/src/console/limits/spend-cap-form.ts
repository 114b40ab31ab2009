import { html, moneyValue, textField } from '../components/components.ts'
import { amountIn } from '../frame/frame.ts'
import type { SingleLimit } from '../limit-parts/limit-parts.ts'
import { limitsPath } from './limit-tabs.ts'

/** The daily spend cap. */
export const spendCap: SingleLimit = {
  path: `${limitsPath}/spend-cap`,
  home: limitsPath,
  form: {
    title: 'Daily spend cap',
    sub: 'Once a day has cost this much, every call of the organization is refused until the next day.',
    body: (state) =>
      html`${textField(state, {
        name: 'cap_usd',
        label: 'Most that a day may cost, in US dollars',
        prefix: '$',
        hint: 'Written without commas, such as 900. 0 refuses every call that costs anything.',
        isRequired: true,
      })}${textField(state, { name: 'timezone', label: 'Time zone', hint: 'The day begins at midnight there, such as Europe/Berlin.' })}`,
    submit: 'Set the cap',
  },
  question: {
    title: 'Remove the daily spend cap?',
    body: html`<p>Nothing bounds the spend of a day as a whole any more; budgets and other limits stay. A cap that is set again begins at zero.</p>`,
    submit: 'Remove the cap',
  },
  read: async ({ api, org }) => {
    const value = await api.get('/v1/orgs/{id}/spend-cap')
    return {
      cap_usd: value.cap_usd === null ? '' : moneyValue(value.cap_usd),
      timezone: value.next_schedule?.timezone ?? value.timezone ?? org.timezone,
    }
  },
  set: ({ api, org }, values) =>
    api.change('put', '/v1/orgs/{id}/spend-cap', {
      body: {
        cap_usd: amountIn(values['cap_usd']) ?? '',
        timezone: (values['timezone'] ?? '').trim() || org.timezone,
      },
    }),
  remove: ({ api }) => api.change('delete', '/v1/orgs/{id}/spend-cap'),
}
