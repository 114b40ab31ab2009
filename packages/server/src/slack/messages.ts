import type { ApprovalView } from '../governance/approvals/approvals.ts'
import { formatDollars, formatUsd, parseUsd } from '../values/money.ts'
import { usualAmount } from '../values/usual-grant.ts'
import { plainText, type SlackBlock, slackEscaped, slackPlain } from '../webhooks/webhooks.ts'

/**
 * An approval as a Slack message: what it shows follows from the approval alone. Whatever somebody has named stands in objects of the type
 * `plain_text`, in which Slack reads neither mentions nor links.
 */

export interface SlackMessage {
  readonly text: string
  readonly blocks: readonly SlackBlock[]
}

/** Needs of a message beside the approval. */
export interface ApprovalSurroundings {
  readonly publicUrl: string
  /** Names of keys and members by their public ids. */
  readonly names: ReadonlyMap<string, string>
  readonly now: Date
}

export const actions = { approve: 'weir_approve', deny: 'weir_deny', link: 'weir_link' } as const

type State = 'pending' | 'approved' | 'used_up' | 'denied' | 'expired' | 'ended'

const titles: Readonly<Record<State, string>> = {
  pending: '🟡 Approval wanted',
  approved: '🟢 Approved',
  used_up: '🟢 Approved and used',
  denied: '🔴 Denied',
  expired: '⚪ Expired undecided',
  ended: '⚪ Approval ended',
}

/** Returns what is to be said of an approval. One whose time is over has expired, whether or not it is marked so. */
function stateOf({ status, grant, expires_at, decided_at }: ApprovalView, now: Date): State {
  const isOver = Date.parse(expires_at) <= now.getTime()
  if (status === 'pending') return isOver ? 'expired' : 'pending'
  if (status === 'denied') return 'denied'
  if (grant !== null && grant.runs_started >= grant.max_runs) return 'used_up'
  if (status === 'approved') return isOver ? 'ended' : 'approved'
  return decided_at === null ? 'expired' : 'ended'
}

/** True for a grant in use: a run that uses it is no event. */
export const isInUse = (approval: ApprovalView, now: Date): boolean => stateOf(approval, now) === 'approved'

export const approvalPath = (id: string) => `/console/approvals/${id}`

const nameLength = 200
const reasonLength = 500
const headerLength = 150
const fieldLength = 2_000
const buttonLength = 75

const dollars = (usd: string) => formatDollars(parseUsd(usd))

/** Returns the bounds of a grant that the button makes. */
export function grantOf({ estimated_cost_usd }: Pick<ApprovalView, 'estimated_cost_usd'>) {
  const amount = usualAmount(parseUsd(estimated_cost_usd))
  return { max_runs: 1, max_amount_usd: amount === undefined ? null : formatUsd(amount) }
}

/** Returns an approval as a message. */
export function messageOf(approval: ApprovalView, context: ApprovalSurroundings): SlackMessage {
  const state = stateOf(approval, context.now)
  const title = `${titles[state]}: ${plainText(approval.attempted, headerLength)}`
  const facts = [...askedFacts(approval, context), ...decisionFacts(approval, context)]
  return {
    text: slackEscaped(title),
    blocks: [
      { type: 'header', text: slackPlain(title, headerLength) },
      {
        type: 'section',
        fields: facts.map(([label, value]) => slackPlain(`${label}: ${value}`, fieldLength)),
      },
      ...(state === 'pending' ? [buttonsOf(approval)] : []),
      {
        type: 'context',
        elements: [
          { type: 'mrkdwn', text: `<${slackEscaped(context.publicUrl + approvalPath(approval.id))}|Open in Weir>` },
        ],
      },
    ],
  }
}

type Fact = readonly [label: string, value: string]

/** Returns a time to the minute. */
const timeText = (text: string) => `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`

function askedFacts(approval: ApprovalView, { names }: ApprovalSurroundings): Fact[] {
  const { attempt, requested_by, estimated_cost_usd, rule_name, reason, attempted } = approval
  const { model, workflow_id: workflow } = attempt
  return [
    ['Asked by', plainText(names.get(requested_by) ?? requested_by, nameLength)],
    ['Estimate', dollars(estimated_cost_usd)],
    ...(typeof model === 'string' && model !== attempted ? [['Model', plainText(model, nameLength)] as const] : []),
    ...(typeof workflow === 'string' ? [['Workflow', plainText(workflow, nameLength)] as const] : []),
    ['Rule', plainText(rule_name, nameLength)],
    ['Reason', plainText(reason, reasonLength)],
  ]
}

function decisionFacts(approval: ApprovalView, { names, now }: ApprovalSurroundings): Fact[] {
  const { decided_by, note, grant, expires_at } = approval
  const state = stateOf(approval, now)
  if (state === 'pending') return [['Waits until', timeText(expires_at)]]
  const facts: Fact[] = []
  if (decided_by !== null)
    facts.push([
      state === 'denied' ? 'Denied by' : 'Approved by',
      plainText(names.get(decided_by) ?? decided_by, nameLength),
    ])
  if (grant !== null) facts.push(['Used', usedText(grant)])
  if (note !== null) facts.push(['Note', plainText(note, reasonLength)])
  return facts
}

const usedText = ({ runs_started, max_runs, spent_usd, max_amount_usd }: NonNullable<ApprovalView['grant']>) =>
  `${runs_started.toLocaleString('en-US')} of ${max_runs.toLocaleString('en-US')} runs, ${dollars(spent_usd)}${
    max_amount_usd === null ? '' : ` of ${dollars(max_amount_usd)}`
  }`

function buttonsOf(approval: ApprovalView): SlackBlock {
  const { max_amount_usd } = grantOf(approval)
  const bounds = max_amount_usd === null ? 'of any cost' : `up to ${dollars(max_amount_usd)}`
  const button = (action_id: string, text: string, style: string) => ({
    type: 'button',
    action_id,
    style,
    text: slackPlain(text, buttonLength),
    value: approval.id,
  })
  return {
    type: 'actions',
    elements: [button(actions.approve, `Approve 1 run ${bounds}`, 'primary'), button(actions.deny, 'Deny', 'danger')],
  }
}

/** Returns the message by which an app is tried, with a button that links whoever presses it. */
export const testMessage = (publicUrl: string): SlackMessage => ({
  text: 'Weir tells here what needs approval.',
  blocks: [
    {
      type: 'section',
      text: slackPlain('Weir tells here what needs approval. Link yourself once, so that you can decide.', fieldLength),
    },
    {
      type: 'actions',
      elements: [{ type: 'button', action_id: actions.link, text: slackPlain('Link me', buttonLength), value: 'link' }],
    },
    {
      type: 'context',
      elements: [{ type: 'mrkdwn', text: `<${slackEscaped(`${publicUrl}/console/approvals`)}|Open in Weir>` }],
    },
  ],
})

/** Fields of every message: no previews of links. */
export const withoutPreviews = { mrkdwn: false, unfurl_links: false, unfurl_media: false } as const
