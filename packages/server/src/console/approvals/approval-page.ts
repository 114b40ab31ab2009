import { minuteMs } from '../../values/time.ts'
import { ApiFault } from '../api/api.ts'
import {
  badge,
  type Content,
  type FormState,
  facts,
  form,
  freshForm,
  html,
  linkButton,
  type Markup,
  moneyValue,
  note,
  nothing,
  pageHead,
  section,
  selectField,
  textField,
} from '../components/components.ts'
import { type ConsolePage, type FormValues, refusedForm, type Visit } from '../frame/frame.ts'
import { callRows } from './approval-inbox.ts'
import {
  type Approval,
  grantPicture,
  grantText,
  inboxPath,
  isInUse,
  type Names,
  obstacleOf,
  type PersonRules,
  readNames,
  readPersonRules,
  stateOf,
  titleOf,
  usualBounds,
} from './approval-words.ts'

const terms = [
  { value: '3600', text: 'in one hour' },
  { value: '86400', text: 'in one day' },
  { value: '604800', text: 'in a week' },
  { value: '2592000', text: 'in 30 days' },
] as const

/** Returns the request that the path names. */
const readApproval = ({ api, params }: Visit): Promise<Approval> =>
  api.get('/v1/orgs/{id}/approvals/{approval_id}', { path: { approval_id: params['approval_id'] ?? '' } })

/** One request: the call, the rule, and the bounds within which it can be approved. */
export async function approvalPage(visit: Visit): Promise<ConsolePage> {
  const [approval, names, ofPersons] = await Promise.all([
    readApproval(visit),
    readNames(visit),
    readPersonRules(visit),
  ])
  return pageOf(visit, approval, { names, ofPersons }, boundsForm(approval))
}

const boundsForm = (approval: Approval): FormState => {
  const { max_runs, max_amount_usd } = usualBounds(approval)
  return freshForm({
    max_runs,
    max_amount_usd: max_amount_usd === '' ? '' : moneyValue(max_amount_usd),
    ends_in: '86400',
    note: '',
  })
}

const pageOf = (
  visit: Visit,
  approval: Approval,
  { names, ofPersons }: { readonly names: Names; readonly ofPersons: PersonRules },
  state: FormState,
  refusal?: { status: number; message: string },
): ConsolePage => {
  const { times } = visit
  const { text, kind } = stateOf(approval, times)
  const message = refusal?.message ?? (approval.status === 'pending' ? undefined : state.fault)
  const isRefused = Object.keys(state.faults).length > 0 || state.fault !== undefined
  return {
    title: titleOf(approval),
    here: inboxPath,
    status: refusal?.status ?? (isRefused ? 422 : 200),
    body: html`${pageHead(
      html`${titleOf(approval)} ${badge(text, kind)}`,
      html`Asked by ${names(approval.requested_by)} ${times.passed(approval.created_at)}. Rule “${approval.rule_name}”: ${approval.reason}`,
      linkButton(inboxPath, 'All that waits'),
    )}${message === undefined ? nothing : note('stop', message)}<div class="grid"><div class="w7">${
      approval.status === 'pending'
        ? decisionSection(visit, approval, ofPersons, state)
        : outcomeSection(visit, approval, names)
    }</div><div class="w5">${aboutSection(visit, approval)}</div></div>`,
  }
}

const decisionSection = (visit: Visit, approval: Approval, ofPersons: PersonRules, state: FormState): Markup => {
  const obstacle = obstacleOf(visit, approval, ofPersons)
  if (obstacle !== undefined) return section('Decide', html`<p class="gap16">${obstacle}</p>`)
  return section(
    'Decide',
    html`${form(
      visit.formKeys,
      `${inboxPath}/${approval.id}/approve`,
      state,
      html`${textField(state, { name: 'max_runs', label: 'Runs', type: 'number', isRequired: true })}${textField(
        state,
        {
          name: 'max_amount_usd',
          label: 'At most, in US dollars',
          prefix: '$',
          hint: 'All of these runs together. Empty: only your other limits bind them.',
          isOptional: true,
        },
      )}${selectField(state, { name: 'ends_in', label: 'Ends', choices: terms })}${textField(state, { name: 'note', label: 'Note', hint: 'For the requester and the audit log.', isOptional: true })}`,
      { submit: 'Approve within these bounds', kind: 'primary big' },
    )}<div class="actions gap16">${linkButton(`${inboxPath}/${approval.id}/deny`, 'Deny', { kind: 'danger' })}</div>`,
  )
}

const outcomeSection = (visit: Visit, approval: Approval, names: Names): Markup => {
  const { times, may } = visit
  const { decided_by, decided_at, note: words } = approval
  const rows: (readonly [string, Content])[] = []
  if (decided_by !== null) rows.push(['Decided by', names(decided_by)])
  if (decided_at !== null) rows.push(['Decided', times.time(decided_at)])
  if (words !== null) rows.push(['Note', words])
  rows.push([endLabel(approval), times.long(approval.expires_at)])
  if (approval.grant !== null) rows.push(['Used', html`${grantText(approval)}<br>${grantPicture(approval)}`])
  return section(
    'Decision',
    html`${facts(rows)}${
      isInUse(approval, times) && may('policies:write', 'admin')
        ? html`<div class="actions gap16">${linkButton(`${inboxPath}/${approval.id}/revoke`, 'Take back', { kind: 'danger' })}</div>`
        : nothing
    }`,
  )
}

const endLabel = ({ status }: Approval): string => {
  if (status === 'approved') return 'Runs may start until'
  return status === 'denied' ? 'No new request until' : 'Ended'
}

const aboutSection = (visit: Visit, approval: Approval): Markup => {
  const { tags, metadata } = approval.attempt
  const more: (readonly [string, Content])[] = []
  if (Array.isArray(tags) && tags.length > 0) more.push(['Tags', tags.map(String).join(', ')])
  if (typeof metadata === 'object' && metadata !== null)
    more.push([
      'Metadata',
      html`${Object.entries(metadata).map(([name, value]) => html`<code>${name}</code> ${String(value)}<br>`)}`,
    ])
  return section(
    'What is asked',
    facts([
      ...callRows(approval, visit),
      ...more,
      [
        'Rule',
        html`<a href="/console/rules/${approval.rule_id}">${approval.rule_name}</a>, version ${approval.rule_version}`,
      ],
      ['Id', html`<code>${approval.id}</code>`],
    ]),
  )
}

/** Approves a request within the bounds of the form; a refusal is said beside them. */
export async function approveRequest(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const { api, params, times } = visit
  const { max_runs = '', max_amount_usd = '', ends_in, note: words = '' } = values
  const term = terms.find(({ value }) => value === ends_in)
  const id = params['approval_id'] ?? ''
  try {
    await api.change('post', '/v1/orgs/{id}/approvals/{approval_id}/approve', {
      path: { approval_id: id },
      body: {
        max_runs: wholeNumber(max_runs),
        max_amount_usd: max_amount_usd.trim() === '' ? null : max_amount_usd.trim().replace(/^\$/, ''),
        ...(term && { expires_at: endOf(times.now, Number(term.value)) }),
        ...(words !== '' && { note: words }),
      },
    })
    return `${inboxPath}?done=approved&of=${encodeURIComponent(id)}`
  } catch (error) {
    return refused(visit, error, { ...values, ends_in: ends_in ?? '86400', note: words })
  }
}

/** Returns when a grant ends, at a whole minute: a second click says the same, and so is the same request. */
const endOf = (now: Date, seconds: number): string =>
  new Date(Math.floor((now.getTime() + seconds * 1_000) / minuteMs) * minuteMs).toISOString()

/** Returns the number that a field holds; anything else as it is, for the API to refuse at its field. */
const wholeNumber = (text: string): number => (/^\s*\d{1,9}\s*$/.test(text) ? Number(text) : (text as never))

async function refused(visit: Visit, error: unknown, values: FormValues): Promise<ConsolePage> {
  const isForbidden = error instanceof ApiFault && error.status === 403
  const state = isForbidden ? freshForm(values) : refusedForm(error, values, { expires_at: 'ends_in' })
  const [approval, names, ofPersons] = await Promise.all([
    readApproval(visit),
    readNames(visit),
    readPersonRules(visit),
  ])
  return pageOf(
    visit,
    approval,
    { names, ofPersons },
    state,
    isForbidden ? { status: 403, message: error.message } : undefined,
  )
}

/** The question before a request is denied. */
export async function denyPage(visit: Visit, state: FormState = freshForm({ note: '' })): Promise<ConsolePage> {
  const approval = await readApproval(visit)
  return {
    title: `Deny ${titleOf(approval)}`,
    here: inboxPath,
    status: state.fault === undefined && Object.keys(state.faults).length === 0 ? 200 : 422,
    body: html`${pageHead(html`Deny “${titleOf(approval)}”?`, 'Equal attempts stay refused, and for a day they create no new request.')}<div class="narrow-col">${form(
      visit.formKeys,
      `${inboxPath}/${approval.id}/deny`,
      state,
      textField(state, {
        name: 'note',
        label: 'Note',
        hint: 'For the requester and the audit log: what to do instead.',
        isOptional: true,
      }),
      { submit: 'Deny the request', kind: 'danger solid', cancel: inboxPath },
    )}</div>`,
  }
}

export async function denyRequest(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const { note: words = '' } = values
  const id = visit.params['approval_id'] ?? ''
  try {
    await visit.api.change('post', '/v1/orgs/{id}/approvals/{approval_id}/deny', {
      path: { approval_id: id },
      body: words === '' ? {} : { note: words },
    })
    return `${inboxPath}?done=denied&of=${encodeURIComponent(id)}`
  } catch (error) {
    if (error instanceof ApiFault && error.status === 403) return refused(visit, error, values)
    return denyPage(visit, refusedForm(error, values))
  }
}

/** The question before a grant is taken back. */
export async function revokePage(visit: Visit): Promise<ConsolePage> {
  const approval = await readApproval(visit)
  return {
    title: `Take back ${titleOf(approval)}`,
    here: inboxPath,
    body: html`${pageHead(html`Take back “${titleOf(approval)}”?`, 'No further run starts on it. Runs that have started go on.')}<div class="narrow-col">${form(
      visit.formKeys,
      `${inboxPath}/${approval.id}/revoke`,
      freshForm(),
      html`<p class="all">Used so far: ${grantText(approval)}.</p>`,
      { submit: 'Take it back', kind: 'danger solid', cancel: `${inboxPath}/${approval.id}` },
    )}</div>`,
  }
}

export async function revokeGrant({ api, params }: Visit): Promise<string> {
  const id = params['approval_id'] ?? ''
  await api.change('post', '/v1/orgs/{id}/approvals/{approval_id}/revoke', {
    path: { approval_id: id },
  })
  return `${inboxPath}?done=revoked&of=${encodeURIComponent(id)}`
}
