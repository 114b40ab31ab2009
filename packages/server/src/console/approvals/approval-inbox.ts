import {
  actionButton,
  badge,
  blank,
  type Column,
  type Content,
  code,
  countText,
  curl,
  html,
  linkButton,
  type Markup,
  money,
  note,
  nothing,
  pageHead,
  section,
  table,
  tabs,
} from '../components/components.ts'
import { type ConsolePage, messageIn, pager, pageSize, part, shown, type Visit } from '../frame/frame.ts'
import {
  type Approval,
  attemptField,
  boundsText,
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
  usualEnd,
} from './approval-words.ts'
import { proposalNote, proposalSection, shownProposals } from './proposal-section.ts'

const views = [
  ['', 'Waiting'],
  ['approved', 'Granted'],
  ['denied', 'Denied'],
  ['expired', 'Ended'],
  ['all', 'All'],
] as const
type View = (typeof views)[number][0]

const latestCount = 100

/** The inbox: requests that wait, oldest first, each with a button; beside them what was granted and decided. */
export async function approvalInbox(visit: Visit): Promise<ConsolePage> {
  const wanted = visit.query.get('status') ?? ''
  const view = views.find(([name]) => name === wanted)?.[0] ?? ''
  const body = view === '' ? await waiting(visit) : await decided(visit, view)
  return { title: 'Approvals', here: inboxPath, body }
}

const viewTabs = (view: View, waitingCount?: string): Markup =>
  tabs(
    'Approvals',
    views.map(([name, text]) => ({
      href: name === '' ? inboxPath : `${inboxPath}?status=${name}`,
      text: name === '' && waitingCount !== undefined ? `${text} (${waitingCount})` : text,
      isHere: name === view,
    })),
  )

const doneNotes: Readonly<Record<string, string>> = {
  approved: 'Approved. The next equal attempts proceed within the bounds.',
  denied: 'Denied. Equal attempts stay refused, and for a day they create no new request.',
  revoked: 'Taken back. No further run starts on it.',
}

async function waiting(visit: Visit): Promise<Markup> {
  const { api, query, address } = visit
  const [{ data, next_cursor }, granted, latest, names, ofPersons, proposals] = await Promise.all([
    api.get('/v1/orgs/{id}/approvals', {
      query: { status: 'pending', sort: 'created_at', limit: pageSize, cursor: query.get('cursor') ?? '' },
    }),
    part(
      api.get('/v1/orgs/{id}/approvals', { query: { status: 'approved', sort: '-created_at', limit: latestCount } }),
    ),
    part(api.get('/v1/orgs/{id}/approvals', { query: { sort: '-created_at', limit: latestCount } })),
    readNames(visit),
    readPersonRules(visit),
    part(
      api.get('/v1/orgs/{id}/proposals', { query: { status: 'pending', sort: 'created_at', limit: shownProposals } }),
    ),
  ])
  const proposed = proposals.value?.data ?? []
  const waitingCount = data.length + proposed.length
  const isMore = next_cursor !== null || (proposals.value?.next_cursor ?? null) !== null
  const count = `${waitingCount}${isMore ? '+' : ''}`
  return html`${pageHead(
    'Approvals',
    waitingCount === 0
      ? 'Nothing waits.'
      : `${waitingCount === 1 && !isMore ? '1 request waits' : `${count} requests wait`}, the oldest first. Whoever asked cannot approve.`,
  )}${doneNote(visit)}${proposalNote(visit)}${viewTabs('', count)}<div class="grid"><div class="w7">${proposalSection(
    visit,
    proposed,
    names,
  )}${
    waitingCount === 0
      ? emptyInbox(visit)
      : html`<div class="asks">${data.map((approval) => askCard(visit, approval, names, ofPersons))}</div>${pager(address, next_cursor)}`
  }</div><div class="w5">${shown(granted, visit, (list) =>
    grantSection(
      visit,
      list.data.filter((one) => isInUse(one, visit.times)),
      names,
    ),
  )}${shown(latest, visit, (list) =>
    decidedSection(
      visit,
      list.data.filter(({ decided_at }) => decided_at !== null),
      names,
    ),
  )}</div></div>`
}

function doneNote({ query, formKeys, may }: Visit): Content {
  const done = query.get('done') ?? ''
  const id = query.get('of') ?? ''
  const message = messageIn(doneNotes, query)
  if (message === undefined) return nothing
  return note(
    'info',
    message,
    id !== '' ? linkButton(`${inboxPath}/${encodeURIComponent(id)}`, 'See it', { kind: 'sm' }) : nothing,
    done === 'approved' && id !== '' && may('policies:write', 'admin')
      ? actionButton(formKeys, `${inboxPath}/${encodeURIComponent(id)}/revoke`, 'Take it back')
      : nothing,
  )
}

/** The call that a request is about, in rows. */
export function callRows(approval: Approval, { times }: Visit): readonly (readonly [string, Content])[] {
  const [provider, input, output] = ['provider', 'input_tokens', 'max_output_tokens'].map((name) =>
    attemptField(approval, name),
  )
  const tokens = [
    input === undefined ? undefined : `${countText(Number(input))} tokens in`,
    output === undefined ? undefined : `at most ${countText(Number(output))} out`,
  ].filter((text) => text !== undefined)
  const names = [
    ['Action', 'action'],
    ['Workflow', 'workflow_id'],
    ['Team', 'department_id'],
    ['Customer', 'customer_id'],
    ['User', 'user_id'],
    ['Deployment', 'deployment_id'],
  ] as const
  const rows: (readonly [string, Content | undefined])[] = [
    [
      'The call',
      html`<code>${attemptField(approval, 'model') ?? approval.attempted}</code>${provider === undefined ? nothing : ` at ${provider}`}, about <b>${money(approval.estimated_cost_usd)}</b>${tokens.length === 0 ? nothing : html`<br><span class="dim">${tokens.join(', ')}</span>`}`,
    ],
    ...names.map(([label, name]) => {
      const value = attemptField(approval, name)
      return [label, value === undefined ? undefined : html`<code>${value}</code>`] as const
    }),
    ['Waits until', approval.status === 'pending' ? times.long(approval.expires_at) : undefined],
  ]
  return rows.filter((row): row is readonly [string, Content] => row[1] !== undefined)
}

function askCard(visit: Visit, approval: Approval, names: Names, ofPersons: PersonRules): Markup {
  const { times, formKeys } = visit
  const { id, rule_name, reason, requested_by, created_at } = approval
  const bounds = usualBounds(approval)
  const obstacle = obstacleOf(visit, approval, ofPersons)
  const title = titleOf(approval)
  return html`<article class="ask" aria-labelledby="ask-${id}"><p class="top"><span>${names(requested_by)}</span><span>${times.passed(created_at)}</span></p><h2 id="ask-${id}"><a class="plain" href="${inboxPath}/${id}">${title}</a></h2><p class="dim">Rule “${rule_name}”: ${reason}</p><dl class="kv">${callRows(
    approval,
    visit,
  ).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>${
    obstacle === undefined
      ? html`<div class="go">${actionButton(formKeys, `${inboxPath}/${id}/approve`, `Approve ${boundsText(bounds)}`, {
          kind: 'primary big',
          of: `for ${title}`,
          fields: { ...bounds },
        })}${linkButton(`${inboxPath}/${id}`, 'Other bounds', { kind: 'big', of: `for ${title}` })}${linkButton(`${inboxPath}/${id}/deny`, 'Deny', { kind: 'big', of: title })}</div><p class="hint">Ends ${times.long(usualEnd(times))} or when used up. You can take it back at any time.</p>`
      : html`<p class="hint">${obstacle}</p>`
  }</article>`
}

const grantSection = (visit: Visit, grants: readonly Approval[], names: Names): Markup =>
  section(
    'Granted and in use',
    grants.length === 0
      ? html`<p class="dim gap16">Nothing is granted now.</p>`
      : html`<ul class="todo bare">${grants.map(
          (approval) =>
            html`<li><div><p class="what"><a href="${inboxPath}/${approval.id}">${titleOf(approval)}</a></p><p>${names(approval.requested_by)}, until ${visit.times.long(approval.expires_at)}. ${grantText(approval)}</p>${grantPicture(approval)}</div>${
              visit.may('policies:write', 'admin')
                ? linkButton(`${inboxPath}/${approval.id}/revoke`, 'Take back', {
                    kind: 'sm quiet',
                    of: titleOf(approval),
                  })
                : nothing
            }</li>`,
        )}</ul>`,
  )

const shownDecided = 8

const decidedSection = (visit: Visit, decisions: readonly Approval[], names: Names): Markup =>
  section(
    'Decided last',
    decisions.length === 0
      ? html`<p class="dim gap16">Nothing was decided yet.</p>`
      : html`<ul class="todo bare">${decisions.slice(0, shownDecided).map((approval) => {
          const { text, kind } = stateOf(approval, visit.times)
          return html`<li><div><p class="what"><a href="${inboxPath}/${approval.id}">${titleOf(approval)}</a></p><p>${approval.decided_by === null ? nothing : names(approval.decided_by)}, ${visit.times.passed(approval.decided_at ?? approval.updated_at)}</p></div>${badge(text, kind)}</li>`
        })}</ul>`,
    linkButton(`${inboxPath}?status=all`, 'All', { kind: 'sm quiet', of: 'requests' }),
  )

async function decided(visit: Visit, view: Exclude<View, ''>): Promise<Markup> {
  const { api, query, address } = visit
  const [{ data, next_cursor }, names] = await Promise.all([
    api.get('/v1/orgs/{id}/approvals', {
      query: {
        ...(view !== 'all' && { status: view }),
        sort: '-created_at',
        limit: pageSize,
        cursor: query.get('cursor') ?? '',
      },
    }),
    readNames(visit),
  ])
  return html`${pageHead('Approvals', 'Newest requests first.')}${viewTabs(view)}${
    data.length === 0
      ? blank(
          'Nothing here yet',
          'Requests appear when a rule asks for approval.',
          linkButton(inboxPath, 'What waits', { kind: 'sm' }),
        )
      : table(columnsOf(visit, names), data, { caption: 'Requests' })
  }${pager(address, next_cursor)}`
}

const columnsOf = (visit: Visit, names: Names): readonly Column<Approval>[] => [
  {
    name: 'Request',
    kind: 'all',
    cell: (approval) =>
      html`<a class="plain" href="${inboxPath}/${approval.id}">${titleOf(approval)}</a><span class="sub">Rule “${approval.rule_name}”</span>`,
  },
  {
    name: 'State',
    cell: (approval) => {
      const { text, kind } = stateOf(approval, visit.times)
      return badge(text, kind)
    },
  },
  { name: 'Asked by', label: 'Asked by', cell: ({ requested_by }) => names(requested_by) },
  { name: 'Asked', label: 'Asked', cell: ({ created_at }) => visit.times.passed(created_at) },
  {
    name: 'Estimate',
    isNumber: true,
    label: 'Estimate',
    cell: ({ estimated_cost_usd }) => money(estimated_cost_usd, 'small'),
  },
  {
    name: 'Decided by',
    label: 'Decided by',
    cell: ({ decided_by }) => (decided_by === null ? 'nobody' : names(decided_by)),
  },
  { name: 'Used', kind: 'all', cell: grantText },
]

const emptyInbox = ({ org, may }: Visit): Markup =>
  html`${blank(
    'Nothing waits for you',
    'A rule can ask for a person before a run starts. Its requests appear here, the oldest first.',
    may('policies:write', 'admin') ? linkButton('/console/rules/new', 'New rule', { kind: 'sm' }) : nothing,
  )}${code(
    'Terminal',
    curl('POST', `/v1/orgs/${org.id}/policies`, {
      name: 'Refunds need a person',
      effect: 'require_approval',
      target: 'action',
      priority: 10,
      expression: 'run.action == "refund"',
      reason: 'Refunds are approved by support leads.',
      approver: 'person',
    }),
    'the command for a rule that asks',
  )}`
