import { bedrock } from './bedrock.ts'
import { chat } from './chat.ts'
import { compaction } from './compaction.ts'
import { completions } from './completions.ts'
import type { Dialect } from './dialect.ts'
import { embeddings } from './embeddings.ts'
import { gemini } from './gemini.ts'
import { geminiEmbeddings } from './gemini-embeddings.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'
import { vertex } from './vertex.ts'

const all: readonly Dialect[] = [
  chat,
  completions,
  responses,
  compaction,
  embeddings,
  messages,
  bedrock,
  vertex,
  gemini,
  geminiEmbeddings,
]

export function dialectNamed(name: Dialect['name']): Dialect {
  const dialect = all.find((one) => one.name === name)
  if (dialect === undefined) throw new Error(`no dialect is called ${name}`)
  return dialect
}
