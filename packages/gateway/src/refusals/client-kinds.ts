import type { RequestHeaders } from '../dialects/dialect.ts'

/** Programs that treat errors in ways of their own, so that a refusal needs another form to be shown once and not repeated. */
export type ClientKind = 'codex' | 'claude-code' | 'other'

export function clientKindOf(headers: RequestHeaders): ClientKind {
  const agent = String(headers['user-agent'] ?? '')
  if (String(headers['originator'] ?? '').startsWith('codex') || agent.startsWith('codex')) return 'codex'
  return agent.startsWith('claude-cli') ? 'claude-code' : 'other'
}
