import type { EventKind } from '../../access/events/events.ts'

/** Kinds that one thing after another can cause thousands of times: what they have in common is their topic, not their subject. */
const commonFields: Partial<Record<EventKind, readonly string[]>> = {
  'decision.refused': ['error_code', 'decided_by'],
  'content_safety.detected': ['detector'],
  'run.finished': [],
}

const textIn = (data: Readonly<Record<string, unknown>>, field: string) => {
  const value = data[field]
  return typeof value === 'string' ? value : ''
}

/** Groups of kinds in which a later one ends what an earlier one began. */
const families = /^(?:approval|freeze|org|proposal)(?=\.)/

/** True for a kind whose matter is over when a later event says so, and not before. */
export const hasOwnEnd = (kind: string): boolean => families.test(kind)

/**
 * Returns the matter that an event is about, so that more of the same can be told together, and an incident be found again. Given a topic
 * in place of the subject, returns that.
 */
export function topicOf(kind: string, subject: string, data: Readonly<Record<string, unknown>>): string {
  const common = commonFields[kind as EventKind]
  if (common) return [kind, ...common.map((field) => textIn(data, field))].join('/')
  const group = families.exec(kind)?.[0] ?? kind
  return subject.startsWith(`${group}/`) ? subject : `${group}/${subject}`
}
