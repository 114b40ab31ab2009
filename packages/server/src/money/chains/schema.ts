import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Count, Nullable, OwnId, Timestamp, Usd } from '../../contract/wire.ts'
import { normalForm } from '../../values/normal-form.ts'

const maxWorkflows = 1_000
const maxDepth = 10_000

/** The bounds of a chain. One that is left out, or null, does not limit. */
const bounds = {
  max_cost_usd: Type.Optional(Nullable({ ...Usd, description: 'What all runs of a chain may cost together.' })),
  max_tokens: Type.Optional(Nullable({ ...Count, description: 'How many tokens they may use together.' })),
  max_depth: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: maxDepth,
        description: 'How deep the tree may grow; a run without a parent has depth 1.',
      }),
    ),
  ),
}
export const ChainBoundsInput = Type.Object(bounds, { title: 'ChainBoundsInput' })
export type ChainBoundsInput = Static<typeof ChainBoundsInput>

const WorkflowBounds = Type.Object({ workflow_id: OwnId, ...bounds }, { title: 'WorkflowBounds' })

const input = Type.Object(
  {
    default: Type.Optional(
      Nullable({ ...ChainBoundsInput, description: 'For chains of workflows that are not listed, and of none.' }),
    ),
    workflows: Type.Optional(Type.Array(WorkflowBounds, { maxItems: maxWorkflows })),
  },
  {
    title: 'ChainLimitsInput',
    examples: [
      {
        default: { max_cost_usd: '5', max_depth: 10 },
        workflows: [{ workflow_id: 'support-triage', max_cost_usd: '2.5' }],
      },
    ],
  },
)
export type ChainLimitsInput = Static<typeof input>

export const ChainLimitsInput = withCheck(input, ({ workflows = [] }: ChainLimitsInput): FieldFault[] => {
  const seen = new Set<string>()
  return workflows.flatMap(({ workflow_id }, i) => {
    const form = normalForm(workflow_id)
    const isRepeated = seen.has(form)
    seen.add(form)
    return isRepeated
      ? [{ field: `workflows.${i}.workflow_id`, code: 'invalid_value' as const, message: 'This is listed twice.' }]
      : []
  })
})

const view = {
  max_cost_usd: Nullable(Usd),
  max_tokens: Nullable(Count),
  max_depth: Nullable(Count),
}
export const ChainLimits = Type.Object(
  {
    default: Nullable(Type.Object(view)),
    workflows: Type.Array(Type.Object({ workflow_id: Type.String(), ...view })),
    updated_at: Nullable(Timestamp),
  },
  { title: 'ChainLimits', description: 'What bounds each chain.' },
)
export type ChainLimits = Static<typeof ChainLimits>
