import type { Dialect } from './dialect.ts'
import { responses } from './responses.ts'

/** The dialect of OpenAI's `POST /v1/responses/compact`: a response that is shorter than what it stands for. No field bounds its output. */
export const compaction: Dialect = {
  ...responses,
  name: 'compaction',
  analyse: (body, headers) => ({ ...responses.analyse(body, headers), isOutputOpen: true }),
  edits: () => [],
}
