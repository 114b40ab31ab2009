import { Type } from 'typebox'
import {
  Closed,
  Cursor,
  CursorArgument,
  Data,
  DataOrNull,
  Name,
  Rows,
  Time,
  Whole,
  Word,
  WordOrNull,
  window,
  windowQuery,
} from '../fields.ts'
import { phrase, time, word } from '../phrases.ts'
import { defineTool } from '../tool.ts'
import { Explained, explained, explanationLines } from './explained.ts'

const usual = 3
const most = 10

const Refused = Closed({
  refusal_id: Word('The entry.'),
  count: Whole('How many alike refusals within its minute.'),
  last_at: Time('The last of them.'),
  error_code: Word('The error code that you got.'),
  message: Data('What it said.'),
  limit_id: WordOrNull('The limit that refused.'),
  rule_id: WordOrNull('The rule that refused.'),
  model: DataOrNull('The model.'),
  workflow_id: DataOrNull('The workflow.'),
  department_id: DataOrNull('The team.'),
  explanation: Explained,
})

export const whyWasIRefused = defineTool({
  name: 'why_was_i_refused',
  title: 'Why was I refused',
  description:
    'Lists the latest calls that were refused to your own key, newest first, each explained: which limit or rule refused it, what was left, and when it starts afresh. Needs the scope limits:read.',
  input: Closed({
    ...window,
    error_code: Name('Only refusals with this error code, such as budget_exceeded.'),
    model: Name('Only calls of this model.'),
    workflow_id: Name('Only calls of this workflow.'),
    limit: Rows(most, usual),
    cursor: CursorArgument,
  }),
  output: Closed({ refusals: Type.Array(Refused), next_cursor: Cursor }),
  answer: async ({ api, me }, { limit = usual, from, to, ...filters }) => {
    const { data, next_cursor } = await api.get('/v1/orgs/{id}/refusals', {
      query: { ...windowQuery({ from, to }), ...filters, key_id: me.id, limit },
    })
    const refusals = data.map(({ explanation, ...entry }) => ({
      refusal_id: entry.id,
      count: entry.count,
      last_at: entry.last_at,
      error_code: entry.error_code,
      message: entry.message,
      limit_id: entry.limit_id,
      rule_id: entry.rule_id,
      model: entry.model,
      workflow_id: entry.workflow_id,
      department_id: entry.department_id,
      explanation: explained(explanation),
    }))
    return {
      data: { refusals, next_cursor },
      lines: [
        refusals.length === 0
          ? phrase`No call of your key was refused in this window.`
          : phrase`${refusals.length} refusals of your key, newest first${next_cursor === null ? phrase`` : phrase`, and there are more`}.`,
        ...refusals.flatMap((entry) => [
          phrase`${word(entry.error_code)}, ${entry.count} times until ${time(entry.last_at)}. Its message: ${entry.message}`,
          ...explanationLines(entry.explanation),
        ]),
      ],
    }
  },
})
