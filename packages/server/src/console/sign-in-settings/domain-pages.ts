import type { Schemas } from '../api/api.ts'
import {
  actionButton,
  badge,
  blank,
  type Column,
  code,
  counted,
  type FormState,
  facts,
  freshForm,
  html,
  linkButton,
  type Markup,
  note,
  nothing,
  pageHead,
  section,
  selectField,
  table,
  textField,
} from '../components/components.ts'
import {
  type ConsolePage,
  type FormValues,
  formPage,
  pager,
  pageSize,
  questionPage,
  refusedForm,
  type Visit,
} from '../frame/frame.ts'
import { here, path, settingsHead } from './settings-head.ts'

type Domain = Schemas['Domain']

const domainsPath = `${path}/domains`
const stateBadge = ({ status }: Domain): Markup =>
  status === 'verified' ? badge('Proved', 'ok', 'ok') : badge('Waits for its DNS record', 'info')

const columnsOf = ({ times }: Visit): readonly Column<Domain>[] => [
  {
    name: 'Domain',
    kind: 'wrapped',
    cell: ({ id, domain }) => html`<a class="plain" href="${domainsPath}/${id}">${domain}</a>`,
  },
  { name: 'State', kind: 'stt', cell: stateBadge },
  {
    name: 'Proved',
    label: 'Proved',
    cell: ({ verified_at }) => (verified_at === null ? 'not yet' : times.time(verified_at)),
  },
  {
    name: 'Looked up',
    label: 'Looked up',
    cell: ({ checked_at }) => (checked_at === null ? 'never' : times.passed(checked_at)),
  },
]

/** The list of domains whose e-mail addresses are the organization's. */
export async function domainList(visit: Visit): Promise<ConsolePage> {
  const { api, query, may, address } = visit
  const { data, next_cursor } = await api.get('/v1/orgs/{id}/domains', {
    query: { limit: pageSize, cursor: query.get('cursor') ?? undefined } as never,
  })
  const waiting = data.filter(({ status }) => status !== 'verified').length
  return {
    title: 'Domains',
    here,
    body: html`${settingsHead(
      visit,
      'domains',
      data.length === 0 ? 'No domain is claimed.' : `${counted(data.length, 'domain')}, ${waiting} not proved.`,
      may('sso:write', 'owner')
        ? linkButton(`${domainsPath}/new`, 'Claim a domain', { kind: 'primary', iconName: 'plus' })
        : nothing,
    )}${query.get('done') === 'deleted' ? note('info', 'The domain is no longer claimed.') : nothing}${
      data.length === 0
        ? blank(
            'No domain yet',
            'Prove that a domain is yours, and people with its e-mail addresses find your identity provider by typing theirs, and can become members by signing in.',
          )
        : html`${table(columnsOf(visit), data, { caption: 'Domains' })}${pager(address, next_cursor)}`
    }`,
  }
}

async function newDomainForm(visit: Visit, state: FormState): Promise<ConsolePage> {
  const { data } = await visit.api.get('/v1/orgs/{id}/sso-connections', { query: { limit: 100 } })
  return formPage(visit, state, {
    title: 'Claim a domain',
    sub: 'The next page shows the DNS record that proves it.',
    here,
    action: domainsPath,
    submit: 'Claim it',
    cancel: domainsPath,
    body: html`${textField(state, { name: 'domain', label: 'Domain', isRequired: true, hint: 'Such as acme.example.' })}${selectField(
      state,
      {
        name: 'connection_id',
        label: 'Its people sign in with',
        choices: [{ value: '', text: 'No provider yet' }, ...data.map(({ id, name }) => ({ value: id, text: name }))],
      },
    )}${textField(state, { name: 'description', label: 'Description', isOptional: true })}`,
  })
}

export const newDomainPage = (visit: Visit): Promise<ConsolePage> =>
  newDomainForm(visit, freshForm({ domain: '', connection_id: '', description: '' }))

export async function createDomain(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const { domain = '', connection_id = '', description = '' } = values
  try {
    const claimed = await visit.api.change('post', '/v1/orgs/{id}/domains', {
      body: { domain: domain.trim(), description, ...(connection_id !== '' && { connection_id }) },
    })
    return `${domainsPath}/${claimed.id}`
  } catch (error) {
    return newDomainForm(visit, refusedForm(error, values))
  }
}

const readDomain = ({ api, params }: Visit): Promise<Domain> =>
  api.get('/v1/orgs/{id}/domains/{domain_id}', { path: { domain_id: params['domain_id'] ?? '' } })

/** One domain: the DNS record to set, and whether it was found. */
export async function domainPage(visit: Visit): Promise<ConsolePage> {
  const { may, formKeys, times, query } = visit
  const domain = await readDomain(visit)
  const { record } = domain
  const mayChange = may('sso:write', 'owner')
  const isProved = domain.status === 'verified'
  const wasLookedUp = query.get('done') === 'verified'
  return {
    title: domain.domain,
    here,
    body: html`${pageHead(
      html`${domain.domain} ${stateBadge(domain)}`,
      domain.description,
      mayChange
        ? actionButton(formKeys, `${domainsPath}/${domain.id}/verify`, isProved ? 'Look again' : 'Look up the record', {
            kind: isProved ? '' : 'primary',
          })
        : nothing,
    )}${
      wasLookedUp
        ? isProved
          ? note('info', 'The record is there: the domain is proved.')
          : note('warn', 'The record was not found. DNS can take minutes to hours until everybody sees a new record.')
        : nothing
    }${section(
      'The DNS record that proves it',
      html`<p class="gap16">${isProved ? 'Leave this record in place.' : 'Set this record where the domain’s DNS is kept, then look it up here.'}</p>${code('Name', record.name, 'the name of the record')}${code(`Value (${record.type})`, record.value, 'the value of the record')}`,
    )}${section(
      'About this domain',
      facts([
        ['Id', html`<code>${domain.id}</code>`],
        [
          'Its people sign in with',
          domain.connection_id === null
            ? 'no provider yet'
            : html`<a href="${path}/connections/${domain.connection_id}"><code>${domain.connection_id}</code></a>`,
        ],
        ['Proved', domain.verified_at === null ? 'not yet' : times.time(domain.verified_at)],
        ['Looked up', domain.checked_at === null ? 'never' : times.passed(domain.checked_at)],
      ]),
    )}${mayChange ? html`<div class="actions gap">${linkButton(`${domainsPath}/${domain.id}/delete`, 'Give it up', { kind: 'danger', of: domain.domain })}</div>` : nothing}`,
  }
}

export async function verifyDomain({ api, params }: Visit): Promise<string> {
  const domainId = params['domain_id'] ?? ''
  await api.change('post', '/v1/orgs/{id}/domains/{domain_id}/verify', {
    path: { domain_id: domainId },
  })
  return `${domainsPath}/${domainId}?done=verified`
}

/** The question before a domain is given up. */
export async function deleteDomainPage(visit: Visit): Promise<ConsolePage> {
  const domain = await readDomain(visit)
  return questionPage(visit, {
    title: `Give up ${domain.domain}?`,
    here,
    body: html`<p>People with its addresses no longer find your identity provider by typing theirs, and nobody becomes a member by signing in with one. Members stay. Another organization may then claim it.</p>`,
    action: `${domainsPath}/${domain.id}/delete`,
    submit: 'Give up the domain',
    cancel: `${domainsPath}/${domain.id}`,
  })
}

export async function deleteDomain({ api, params }: Visit): Promise<string> {
  await api.change('delete', '/v1/orgs/{id}/domains/{domain_id}', {
    path: { domain_id: params['domain_id'] ?? '' },
  })
  return `${domainsPath}?done=deleted`
}
