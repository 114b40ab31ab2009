import { Type } from 'typebox'
import { Closed } from '../fields.ts'
import { defineTool } from '../tool.ts'
import { Explained, explained, explanationLines } from './explained.ts'

export const explainDecision = defineTool({
  name: 'explain_decision',
  title: 'Explain a decision',
  description:
    'Explains one decision by its id (`dec_…`, in every refusal and allowance): the price that was used, every limit with what was read there, and which one decided. Kept for seven days.',
  input: Closed({
    decision_id: Type.String({ minLength: 1, maxLength: 40, description: 'The id of the decision: `dec_…`.' }),
  }),
  output: Closed({ decision: Explained }),
  answer: async ({ api }, { decision_id }) => {
    const decision = explained(await api.get('/v1/decisions/{decision_id}', { path: { decision_id } }))
    return { data: { decision }, lines: explanationLines(decision) }
  },
})
