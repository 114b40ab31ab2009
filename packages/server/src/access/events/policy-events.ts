import { Type } from 'typebox'
import { Count, Id, Nullable, Timestamp, Usd } from '../../contract/wire.ts'
import { kind, optIn } from './kind.ts'

const text = Type.String()

const rule = Type.Object({
  rule_id: Id('rule'),
  name: Type.String({ examples: ['No frontier models at night'] }),
  effect: Type.String({ description: '`block`, `require_approval` or `allow`.', examples: ['block'] }),
  target: Type.String({ description: '`model` or `action`.', examples: ['model'] }),
  enabled: Type.Boolean(),
  shadow: Type.Boolean(),
})
const ruleExample = {
  rule_id: 'rul_01jbsteb4peb5vskx602h9mw4q',
  name: 'No frontier models at night',
  effect: 'block',
  target: 'model',
  enabled: true,
  shadow: false,
}

const request = {
  approval_id: Id('approval'),
  rule_id: Id('rule'),
  rule_name: Type.String({ examples: ['Refunds need a person'] }),
  reason: text,
  attempted: Type.String({ description: 'The model or action.', examples: ['refund'] }),
  requested_by: { ...Id('key'), description: 'The key that attempted it.' },
  estimated_cost_usd: Usd,
  expires_at: Timestamp,
}
const requestExample = {
  approval_id: 'apr_01jbsteb4peb5vskx602h9mw4q',
  rule_id: 'rul_01jbstfsr0fdkrxk00dq0wn3e5',
  rule_name: 'Refunds need a person',
  reason: 'Refunds are approved by support leads.',
  attempted: 'refund',
  requested_by: 'key_01jbsteb4peb5vskx602h9mw4q',
  estimated_cost_usd: '0.5',
  expires_at: '2026-11-22T08:30:00.000+00:00',
}
const decided = {
  decided_by: { ...Id('key'), description: 'The key that decided, or the member (`mbr_…`) who did.' },
  note: Nullable(text),
}
const decidedExample = { decided_by: 'key_01jbstfsr0fdkrxk00dq0wn3e5', note: null }

const proposal = {
  proposal_id: Id('proposal'),
  kind: Type.String({ description: '`budget_increase` or `budget`.', examples: ['budget_increase'] }),
  budget_name: Type.String({ examples: ['Support team'] }),
  limit_before_usd: Nullable(Type.String({ ...Usd, description: 'null for a new budget.' })),
  limit_usd: Type.String({ ...Usd, description: 'The limit that is asked for.' }),
  reason: text,
  requested_by: { ...Id('key'), description: 'The key that asked.' },
  expires_at: Timestamp,
}
const proposalExample = {
  proposal_id: 'prp_01jbsteb4peb5vskx602h9mw4q',
  kind: 'budget_increase',
  budget_name: 'Support team',
  limit_before_usd: '500',
  limit_usd: '750',
  reason: 'The backlog of November needs twice the usual calls.',
  requested_by: 'key_01jbsteb4peb5vskx602h9mw4q',
  expires_at: '2026-11-22T08:30:00.000+00:00',
}
const proposalDecision = {
  decided_by: { ...Id('member'), description: 'The member who decided.' },
  note: Nullable(text),
}
const proposalDecisionExample = { decided_by: 'mbr_01jbstfsr0fdkrxk00dq0wn3e5', note: null }

/** Events about rules and what they trigger: policies, approvals, content safety, the eval gate. */
export const policyEvents = {
  'policy.created': kind('A rule was created.', rule, ruleExample),
  'policy.updated': kind('A rule was changed.', rule, ruleExample),
  'policy.deleted': kind('A rule was removed.', rule, ruleExample),
  'approval.requested': kind(
    'A run was refused until it is approved. Sent once for all equal attempts.',
    Type.Object(request),
    requestExample,
  ),
  'approval.approved': kind(
    'A request was approved: the next attempts proceed, as many and as costly as granted.',
    Type.Object({
      ...request,
      ...decided,
      max_runs: Count,
      max_amount_usd: Nullable({ ...Usd, description: 'Their total cost limit; null for no limit.' }),
    }),
    { ...requestExample, ...decidedExample, max_runs: 3, max_amount_usd: '10' },
  ),
  'approval.denied': kind('A request was denied.', Type.Object({ ...request, ...decided }), {
    ...requestExample,
    ...decidedExample,
  }),
  'approval.expired': kind(
    'A request was not decided in time, a grant has expired, or the rule behind it has changed.',
    Type.Object(request),
    requestExample,
  ),
  'proposal.requested': kind('A key has asked for a change of a limit.', Type.Object(proposal), proposalExample),
  'proposal.approved': kind(
    'A person has approved a proposal: the limit is changed.',
    Type.Object({ ...proposal, ...proposalDecision }),
    { ...proposalExample, ...proposalDecisionExample },
  ),
  'proposal.denied': kind('A person has denied a proposal.', Type.Object({ ...proposal, ...proposalDecision }), {
    ...proposalExample,
    ...proposalDecisionExample,
  }),
  'content_safety.detected': optIn(
    kind(
      'A detector has found something in submitted content. The match itself is not included. Sampled: an agent that loops does not cause an event each time.',
      Type.Object({
        detector: Type.String({ examples: ['card_number'] }),
        mode: Type.String({ description: '`alert` or `block`.', examples: ['block'] }),
        hits: Count,
        key_id: Id('key'),
        model: Nullable(text),
        workflow_id: Nullable(text),
        customer_id: Nullable(text),
      }),
      {
        detector: 'card_number',
        mode: 'block',
        hits: 1,
        key_id: 'key_01jbsteb4peb5vskx602h9mw4q',
        model: 'gpt-4o',
        workflow_id: 'checkout',
        customer_id: null,
      },
    ),
  ),
  'eval.expired': kind(
    'The latest eval result of a model is too old for a route, which no longer selects the model.',
    Type.Object({
      route_id: Id('modelRoute'),
      route: Type.String({ examples: ['support-chat'] }),
      eval_id: Id('evalResult'),
      suite: Type.String({ examples: ['support-quality'] }),
      model: Type.String({ examples: ['gpt-4o'] }),
      provider: Nullable(text),
      measured_at: Timestamp,
      max_age_seconds: Count,
    }),
    {
      route_id: 'rte_01jbsteb4peb5vskx602h9mw4q',
      route: 'support-chat',
      eval_id: 'evl_01jbstfsr0fdkrxk00dq0wn3e5',
      suite: 'support-quality',
      model: 'gpt-4o',
      provider: null,
      measured_at: '2026-11-01T08:30:00.000+00:00',
      max_age_seconds: 1_209_600,
    },
  ),
}
