import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../access/identity/identity.ts'

/** All that decides what a caller is shown by the reads that are shared. */
type Sight = Pick<Caller, 'kind' | 'orgId' | 'role' | 'scopes' | 'pins'>

/** Header with which the script of an open page reads the page again: the revisions of which it has heard. */
const revisionHeader = 'x-weir-revision'
const revision = /^[\w-]{16,64}$/

/** Reads whose answers depend on the organization, the rights and the pins of a caller, and on nothing else about them. */
const alike: ReadonlySet<string> = new Set([
  '/v1/capacity/forecasts',
  '/v1/orgs/{id}',
  '/v1/orgs/{id}/approvals',
  '/v1/orgs/{id}/budgets',
  '/v1/orgs/{id}/freezes',
  '/v1/orgs/{id}/keys',
  '/v1/orgs/{id}/prices',
  '/v1/orgs/{id}/quota',
  '/v1/orgs/{id}/refusals',
  '/v1/orgs/{id}/refusals/daily',
  '/v1/orgs/{id}/refusals/{refusal_id}',
  '/v1/orgs/{id}/spend-cap',
  '/v1/orgs/{id}/usage',
  '/v1/orgs/{id}/webhooks',
  '/v1/runs',
])

const keptMs = 15_000
const maxAnswers = 500
/** Most that is kept of all answers together, in characters: somebody may name any number of revisions. */
const maxChars = 16_000_000

/** Answers a call from what another reader has just been answered, or makes it; an answer is its text. */
export type ShareRead = (path: string, address: string, read: () => Promise<string>) => Promise<string>

interface KeptAnswer {
  readonly atMs: number
  readonly answer: Promise<string>
  /** Length of the answer; 0 while it is on its way. */
  chars: number
}

/** Creates the store of answers, the oldest of which make room for others. */
function createAnswers(nowMs: () => number) {
  const known = new Map<string, KeptAnswer>()
  let chars = 0

  function forget(key: string, kept: KeptAnswer) {
    if (known.get(key) !== kept) return
    known.delete(key)
    chars -= kept.chars
  }
  const isFresh = ({ atMs }: KeptAnswer) => nowMs() - atMs < keptMs
  function makeRoom() {
    for (const [key, kept] of known) {
      if (isFresh(kept) && known.size < maxAnswers && chars <= maxChars) return
      forget(key, kept)
    }
  }

  function weigh(key: string, kept: KeptAnswer, length: number) {
    if (known.get(key) !== kept) return
    kept.chars = length
    chars += length
    makeRoom()
  }

  return {
    fresh: (key: string): Promise<string> | undefined => {
      const kept = known.get(key)
      return kept && isFresh(kept) ? kept.answer : undefined
    },
    keep: (key: string, answer: Promise<string>) => {
      const before = known.get(key)
      if (before) forget(key, before)
      makeRoom()
      const kept: KeptAnswer = { atMs: nowMs(), answer, chars: 0 }
      known.set(key, kept)
      answer.then(
        ({ length }) => weigh(key, kept, length),
        () => forget(key, kept),
      )
    },
  }
}

/**
 * Answers of the API that readers of open pages share when something has changed: a hundred of them cost the database no more than one.
 * They do so for one revision, so nobody is shown less than what they have heard of, and only where the API would answer them alike. The
 * session of each, its address and its rate were checked before. Refusals are not shared, and the reads of a support grant never are:
 * each is on record.
 */
export function createSharedReads(nowMs: () => number) {
  const answers = createAnswers(nowMs)
  return {
    of: ({ headers }: Pick<FastifyRequest, 'headers'>, caller: Sight): ShareRead | undefined => {
      const heard = headers[revisionHeader]
      if (typeof heard !== 'string' || !revision.test(heard) || caller.kind === 'support') return undefined
      const { kind, orgId, role, scopes, pins } = caller
      const sight = [
        heard,
        kind,
        orgId,
        role,
        [...scopes].toSorted(),
        Object.entries(pins)
          .map((pin) => JSON.stringify(pin))
          .toSorted(),
      ]
      return (path, address, read) => {
        if (!alike.has(path)) return read()
        const key = JSON.stringify([sight, address])
        const before = answers.fresh(key)
        if (before) return before.catch(read)
        const answer = read()
        answers.keep(key, answer)
        return answer
      }
    },
  }
}
