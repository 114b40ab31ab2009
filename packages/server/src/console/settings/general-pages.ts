import {
  checkField,
  checkGroup,
  dimensions,
  dimensionText,
  type FormState,
  facts,
  freshForm,
  html,
  linkButton,
  nothing,
  section,
  textArea,
  textField,
} from '../components/components.ts'
import {
  type ConsolePage,
  countIn,
  type FormValues,
  formPage,
  part,
  refusedForm,
  shown,
  type Visit,
} from '../frame/frame.ts'
import { path, settingsHead } from './settings-tabs.ts'

const change = (visit: Visit, scope: string, what: string, of: string) =>
  visit.may(scope, 'admin') ? linkButton(`${path}/${what}`, 'Change', { kind: 'sm', of }) : nothing

/** General settings: name, zone, addresses, retention. */
export async function generalPage(visit: Visit): Promise<ConsolePage> {
  const { api, may, times } = visit
  const [org, addresses, retention] = await Promise.all([
    api.get('/v1/orgs/{id}'),
    may('orgs:read', 'admin') ? part(api.get('/v1/orgs/{id}/ip-allow-list')) : undefined,
    part(api.get('/v1/orgs/{id}/retention-policy')),
  ])
  return {
    title: 'Settings',
    here: path,
    body: html`${settingsHead(visit, 'general', html`${org.name}, <code>${org.id}</code>`)}${section(
      'Organization',
      facts([
        ['Name', org.name],
        ['Time zone', html`${org.timezone}, now ${times.long(times.now)}`],
        [
          'Every call must name',
          org.required_dimensions.length === 0 ? 'nothing' : org.required_dimensions.map(dimensionText).join(', '),
        ],
        [
          'New names a day in usage',
          org.max_new_values_per_day === null ? 'as the installation has set' : String(org.max_new_values_per_day),
        ],
        ['Since', times.time(org.created_at)],
      ]),
      change(visit, 'orgs:write', 'organization', 'the organization'),
    )}${
      addresses === undefined
        ? nothing
        : section(
            'Addresses that may call',
            shown(addresses, visit, ({ ip_allow_list: list }) =>
              list.length === 0
                ? html`<p class="dim gap16">Every address. Keys work from anywhere.</p>`
                : html`<p class="chips gap16">${list.map((range) => html`<span class="chip">${range}</span>`)}</p>`,
            ),
            change(visit, 'orgs:write', 'addresses', 'the addresses'),
          )
    }${section(
      'Retention',
      shown(retention, visit, ({ raw_days, class_days, updated_at }) =>
        facts([
          ['Runs can be read for', `${raw_days} days`],
          ['New runs are stored for', `${class_days} days`],
          ['Usage and the ledger', 'are kept whatever is set here'],
          ['Set', updated_at === null ? 'never: the default applies' : times.time(updated_at)],
        ]),
      ),
      change(visit, 'runs:write', 'retention', 'the retention'),
    )}`,
  }
}

const orgForm = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'Change the organization',
    here: path,
    action: `${path}/organization`,
    submit: 'Save changes',
    cancel: path,
    body: html`${textField(state, { name: 'name', label: 'Name', isRequired: true })}${textField(state, { name: 'timezone', label: 'Time zone', isRequired: true, hint: 'Days and months of limits begin in it. Such as Europe/Berlin.' })}${checkGroup(
      state,
      {
        name: 'required_dimensions',
        label: 'Every call must name its',
        hint: 'Calls without one are refused.',
        choices: dimensions.map((value) => ({ value, text: dimensionText(value) })),
      },
    )}${textField(state, { name: 'max_new_values_per_day', label: 'New names a day in usage', isOptional: true, hint: 'Further ones are counted as (other). Empty: as the installation has set.' })}`,
  })

export async function orgPage(visit: Visit): Promise<ConsolePage> {
  const org = await visit.api.get('/v1/orgs/{id}')
  return orgForm(
    visit,
    freshForm({
      name: org.name,
      timezone: org.timezone,
      required_dimensions: org.required_dimensions.join(','),
      max_new_values_per_day: String(org.max_new_values_per_day ?? ''),
    }),
  )
}

export async function changeOrg(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const required = new Set((values['required_dimensions'] ?? '').split(','))
  try {
    await visit.api.change('patch', '/v1/orgs/{id}', {
      body: {
        name: values['name'] ?? '',
        timezone: (values['timezone'] ?? '').trim(),
        required_dimensions: dimensions.filter((dimension) => required.has(dimension)),
        max_new_values_per_day: countIn(values['max_new_values_per_day']),
      },
    })
    return `${path}?done=saved`
  } catch (error) {
    return orgForm(visit, refusedForm(error, values))
  }
}

const addressForm = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'Addresses that may call',
    sub: 'Keys and sessions work from these addresses only, on every server, from the next request on.',
    here: path,
    action: `${path}/addresses`,
    submit: 'Save the list',
    cancel: path,
    body: html`<div class="all">${textArea(state, { name: 'ip_allow_list', label: 'Addresses and ranges', rows: 8, isCode: true, isOptional: true, hint: 'One a line, such as 203.0.113.0/24 or 2001:db8::/32. Empty: every address.' })}</div>${
      state.fault === undefined && Object.keys(state.faults).length === 0
        ? nothing
        : html`<div class="all">${checkField(state, { name: 'force', label: 'Save it although my own address is not on it', hint: 'Your next request from here is then refused. Only somebody at a listed address, or an operator, can undo it.' })}</div>`
    }`,
  })

export async function addressPage(visit: Visit): Promise<ConsolePage> {
  const { ip_allow_list: list } = await visit.api.get('/v1/orgs/{id}/ip-allow-list')
  return addressForm(visit, freshForm({ ip_allow_list: list.join('\n') }))
}

/** Replaces the list of addresses. The API refuses one without the caller's own, until the caller insists. */
export async function changeAddresses(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  try {
    await visit.api.change('put', '/v1/orgs/{id}/ip-allow-list', {
      body: {
        ip_allow_list: (values['ip_allow_list'] ?? '').split(/[\s,]+/).filter(Boolean),
        ...(values['force'] === 'true' && { force: true }),
      },
    })
    return `${path}?done=saved`
  } catch (error) {
    const { faults, ...state } = refusedForm(error, values)
    // The API tells its callers how to insist; a page has a box for it.
    const words = Object.entries(faults).map(([name, text]) => [name, text.replace(/ Send "force".*$/, '')])
    return addressForm(visit, { ...state, faults: Object.fromEntries(words) })
  }
}

const retentionForm = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'Retention of runs',
    sub: 'Runs that are older are no longer shown from now on. Usage and the ledger are kept.',
    here: path,
    action: `${path}/retention`,
    submit: 'Save',
    cancel: path,
    body: textField(state, {
      name: 'raw_days',
      label: 'Days',
      isRequired: true,
      hint: '1 to 3650. Runs that were stored for a shorter time are not brought back.',
    }),
  })

export async function retentionPage(visit: Visit): Promise<ConsolePage> {
  const { raw_days } = await visit.api.get('/v1/orgs/{id}/retention-policy')
  return retentionForm(visit, freshForm({ raw_days: String(raw_days) }))
}

export async function changeRetention(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  try {
    await visit.api.change('put', '/v1/orgs/{id}/retention-policy', {
      body: { raw_days: countIn(values['raw_days']) as number },
    })
    return `${path}?done=saved`
  } catch (error) {
    return retentionForm(visit, refusedForm(error, values))
  }
}
