import type { Schemas } from '../api/api.ts'
import {
  actionButton,
  type Content,
  html,
  type Markup,
  money,
  note,
  nothing,
  section,
} from '../components/components.ts'
import { messageIn, type Visit } from '../frame/frame.ts'
import { inboxPath, type Names } from './approval-words.ts'

type Proposal = Schemas['Proposal']

const proposalsPath = `${inboxPath}/proposals`

/** Most proposals that the inbox shows; those that follow come when these are decided. */
export const shownProposals = 20

const doneNotes: Readonly<Record<string, string>> = {
  'proposal-approved': 'Approved. The limit is changed, as yours in the audit log.',
  'proposal-denied': 'Denied. Nothing has changed.',
}

export const proposalNote = ({ query }: Visit): Content => {
  const message = messageIn(doneNotes, query)
  return message === undefined ? nothing : note('info', message)
}

/** Proposals of keys that wait for a person, with what would change. */
export function proposalSection(visit: Visit, proposals: readonly Proposal[], names: Names): Content {
  if (proposals.length === 0) return nothing
  return section(
    'Proposed limits',
    html`<p class="hint">Agents ask, people decide. Whoever is behind the key that asked does not.</p><div class="asks">${proposals.map(
      (proposal) => proposalCard(visit, proposal, names),
    )}</div>`,
  )
}

const titleOf = ({ kind, budget_name }: Proposal): string =>
  kind === 'budget' ? `New budget ${budget_name}` : `More for the budget ${budget_name}`

function proposalCard(visit: Visit, proposal: Proposal, names: Names): Markup {
  const { times, formKeys } = visit
  const { id, reason, requested_by, created_at, expires_at } = proposal
  const title = titleOf(proposal)
  const obstacle = obstacleOf(visit)
  const at = (decision: string) => `${proposalsPath}/${id}/${decision}`
  return html`<article class="ask" aria-labelledby="ask-${id}"><p class="top"><span>${names(requested_by)}</span><span>${times.passed(created_at)}</span></p><h2 id="ask-${id}">${title}</h2><p class="dim">${reason}</p><dl class="kv"><dt>Limit</dt><dd>${limitText(proposal)}</dd><dt>Of</dt><dd>${scopeText(proposal)}</dd><dt>Waits until</dt><dd>${times.long(expires_at)}</dd></dl>${
    obstacle === undefined
      ? html`<div class="go">${actionButton(formKeys, at('approve'), 'Approve', { kind: 'primary big', of: title })}${actionButton(formKeys, at('deny'), 'Deny', { kind: 'big', of: title })}</div>`
      : html`<p class="hint">${obstacle}</p>`
  }</article>`
}

const limitText = ({ limit_before_usd: before, limit_usd: limit, period, enforcement, timezone }: Proposal): Content =>
  html`${before === null ? nothing : html`${money(before)} → `}<b>${money(limit)}</b> a ${period}${
    timezone === null ? nothing : html` in ${timezone}`
  }${enforcement === 'block' ? nothing : html`, refuses nothing (<code>${enforcement}</code>)`}`

const scopeText = ({ scope_kind: kind, scope_id: name }: Proposal): Content =>
  name === null ? 'the organization' : html`${kind} <code>${name}</code>`

function obstacleOf({ caller, may }: Visit): string | undefined {
  if (!may('limits:write', 'admin')) return 'An admin or owner decides on this.'
  return caller.kind === 'person' ? undefined : 'A person decides on this: sign in with your name.'
}

const decide =
  (decision: 'approve' | 'deny', done: string) =>
  async ({ api, params }: Visit) => {
    const path = { proposal_id: params['proposal_id'] ?? '' }
    await api.change('post', `/v1/orgs/{id}/proposals/{proposal_id}/${decision}`, { path, body: {} })
    return `${inboxPath}?done=${done}`
  }
export const approveProposal = decide('approve', 'proposal-approved')
export const denyProposal = decide('deny', 'proposal-denied')
