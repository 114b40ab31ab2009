import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { keysOf } from '../../../src/people/saml/certificates.ts'
import { answerDocument } from '../../../src/people/saml/document-rules.ts'
import * as door from '../../../src/people/saml/saml.ts'
import {
  type AnswerVerifier,
  type SamlOutcome,
  type SamlRefusal,
  strictVerifier,
  verifyAnswerWith,
} from '../../../src/people/saml/verification.ts'
import { connection, coveted, encoded, honest, now, requestId, signedAnswer } from '../../support/saml/answers.ts'
import { contentForgeries } from '../../support/saml/content-forgeries.ts'
import type { Forgery } from '../../support/saml/forgery.ts'
import { markupForgeries } from '../../support/saml/markup-forgeries.ts'
import { type NaiveHabits, naively } from '../../support/saml/naive-verifier.ts'
import { signatureForgeries } from '../../support/saml/signature-forgeries.ts'
import { signatureShapeForgeries } from '../../support/saml/signature-shape-forgeries.ts'
import { parse } from '../../support/saml/signer.ts'
import { wrappedAnswers } from '../../support/saml/wrapped-answers.ts'

const kinds = {
  'wrapped around a signed part': wrappedAnswers,
  'with a signature that is not one': signatureForgeries,
  'with a signature in disguise': signatureShapeForgeries,
  'against readers of XML': markupForgeries,
  'signed, but not for us, now and once': contentForgeries,
}
const forgeries: readonly Forgery[] = Object.values(kinds).flat()

const ruleLists = ['messageRules', 'markupRules', 'documentRules', 'signatureRules', 'factRules'] as const
const ruleNames: readonly SamlRefusal[] = ruleLists.flatMap((list) => strictVerifier[list].map(({ name }) => name))

/** A verifier without some rules: the planted weakness. Only here, as its parts are no settings. */
function weakened(without: readonly SamlRefusal[], habits?: NaiveHabits): AnswerVerifier {
  const kept = ruleLists.map((list) => [list, strictVerifier[list].filter(({ name }) => !without.includes(name))])
  return { ...strictVerifier, ...Object.fromEntries(kept), ...(habits && { signedParts: naively(habits) }) }
}

const isClaimable = (forgery: Forgery, without: readonly SamlRefusal[]) =>
  forgery.isClaimed !== false || without.includes('request_unknown')

const judged = (
  verifier: AnswerVerifier,
  forgery: Forgery,
  without: readonly SamlRefusal[] = [],
): Promise<SamlOutcome> =>
  verifyAnswerWith(
    verifier,
    forgery.message,
    { ...connection, ...forgery.connection },
    {
      now,
      claimRequest: async () => isClaimable(forgery, without),
    },
  )

const nameIn = (outcome: SamlOutcome) => ('subject' in outcome ? outcome.subject.nameId : undefined)

beforeEach(() => {
  // The parser beneath the verifier complains aloud about what the weakened ones let through to it.
  for (const method of ['error', 'warn'] as const) vi.spyOn(console, method).mockImplementation(() => undefined)
})

describe.each(Object.entries(kinds))('an answer %s', (_, list) => {
  test.each(list)('is refused: $name', async (forgery) => {
    const { caughtBy, habits, as = honest } = forgery
    const context = { now, claimRequest: async () => isClaimable(forgery, []) }
    const outcome = await door.verifyAnswer(forgery.message, { ...connection, ...forgery.connection }, context)
    expect(outcome).toEqual({ refusal: caughtBy[0] })

    const weak = await judged(weakened(caughtBy, habits), forgery, caughtBy)
    expect(nameIn(weak), 'the planted weakness lets it in').toBe(as)

    for (const rule of caughtBy) {
      const others = caughtBy.filter((name) => name !== rule)
      const isVerifier = rule === 'signature_invalid' || rule === 'response_signature_invalid'
      const alone = await judged(weakened(others, isVerifier ? undefined : habits), forgery, others)
      expect(alone, `${rule} alone refuses it`).toEqual({ refusal: rule })
    }
    // However few rules are left, nothing is read that is not signed.
    const strictlyRead = nameIn(await judged(weakened(caughtBy), forgery, caughtBy))
    expect(strictlyRead === coveted, 'what is not signed is read').toBe(false)
  })
})

test.each(['XSW 5', 'XSW 6', 'XSW 8'])(
  'the strict verifier by itself takes no signature over something else: %s',
  (name) => {
    const { message = '' } = wrappedAnswers.find((forgery) => forgery.name.startsWith(`${name}:`)) ?? {}
    const text = Buffer.from(message, 'base64').toString()
    const answer = answerDocument(text, parse(text))
    expect(strictVerifier.signedParts(answer, keysOf(connection.certificates))).toBe('signature_invalid')
  },
)

describe('the collection', () => {
  test('has well over sixty forgeries, no two of them alike', () => {
    expect(forgeries.length).toBeGreaterThan(150)
    expect(new Set(forgeries.map(({ name }) => name)).size).toBe(forgeries.length)
    const alike = forgeries.filter(({ isClaimed, connection: changed }) => isClaimed !== false && changed === undefined)
    expect(new Set(alike.map(({ message }) => message)).size).toBe(alike.length)
  })

  test('needs every rule: each is among those that alone refuse some forgery', () => {
    const reasons = new Set(forgeries.flatMap(({ caughtBy }) => caughtBy))
    expect(ruleNames.filter((name) => !reasons.has(name))).toEqual([])
  })

  test('is judged by names that are given once, and each of them is explained', () => {
    expect(new Set(ruleNames).size).toBe(ruleNames.length)
    const others = ['signature_invalid', 'response_signature_invalid', 'request_unknown']
    expect(Object.keys(door.samlRefusals).toSorted()).toEqual([...ruleNames, ...others].toSorted())
  })
})

describe('the planted weaknesses', () => {
  const every = [
    ...new Map(forgeries.flatMap(({ habits }) => (habits ? [[JSON.stringify(habits), habits] as const] : []))).values(),
  ]
  const message = encoded(signedAnswer())
  const context = { now, claimRequest: async () => true }

  test('are verifiers that still refuse an answer that was plainly changed', async () => {
    const changed = Buffer.from(message, 'base64').toString().replaceAll(honest, coveted)
    // One does not verify at all, and one leaves the name out, as it is told.
    const verifying = every.filter(({ believes, obeysXPath }) => !believes && !obeysXPath)
    expect(verifying.length).toBeGreaterThan(10)
    for (const habits of verifying) {
      const outcome = await verifyAnswerWith(weakened([], habits), encoded(changed), connection, context)
      expect(outcome, JSON.stringify(habits)).toEqual({ refusal: 'signature_invalid' })
    }
    expect(nameIn(await verifyAnswerWith(weakened([], {}), message, connection, context))).toBe(honest)
  })

  test('cannot be reached from the door', () => {
    expect(Object.keys(door)).not.toContain('verifyAnswerWith')
    expect(Object.keys(door)).not.toContain('strictVerifier')
    expect(door.verifyAnswer.length).toBe(3)
  })
})

describe('an honest answer that is changed at random', () => {
  const xml = signedAnswer()
  const context = { now, claimRequest: async () => true }
  let honestOutcome: SamlOutcome
  beforeEach(async () => {
    honestOutcome = await door.verifyAnswer(encoded(xml), connection, context)
  })
  const isHarmless = (outcome: SamlOutcome) => 'refusal' in outcome || isDeepStrictEqual(outcome, honestOutcome)
  const piece = fc.oneof(
    fc.constantFrom(
      '',
      '<',
      '>',
      '"',
      '&',
      '/',
      ' ',
      '<!---->',
      '<x/>',
      'ID',
      '_evil',
      'admin',
      '\u0000',
      '&#65;',
      'é',
    ),
    fc.string({ maxLength: 3 }),
  )

  test('says the same as before, or is refused', { timeout: 60_000 }, async () => {
    expect(nameIn(honestOutcome)).toBe(honest)
    await fc.assert(
      fc.asyncProperty(fc.nat(xml.length), fc.nat(20), piece, async (at, length, inserted) => {
        const changed = xml.slice(0, at) + inserted + xml.slice(at + length)
        const outcome = await door.verifyAnswer(encoded(changed), connection, context)
        expect(isHarmless(outcome)).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  test('says the same as before, or is refused, when a piece of it is moved or doubled', {
    timeout: 60_000,
  }, async () => {
    expect(nameIn(honestOutcome)).toBe(honest)
    const elements = [...xml.matchAll(/<([\w:]+)[ >][\s\S]*?<\/\1>/g)].map(([element]) => element)
    const places = [...xml.matchAll(/>/g)].map(({ index }) => index + 1)
    const moves = fc.record({
      element: fc.constantFrom(...elements),
      place: fc.constantFrom(...places),
      keep: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(moves, async ({ element, place, keep }) => {
        const doubled = xml.slice(0, place) + element.replaceAll(honest, coveted) + xml.slice(place)
        const changed = keep ? doubled : doubled.replace(element, '')
        const outcome = await door.verifyAnswer(encoded(changed), connection, context)
        expect(isHarmless(outcome)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a request', () => {
  const message = encoded(signedAnswer())

  test('is claimed once: the same answer a second time is a replay', async () => {
    const open = new Set([requestId])
    const context = { now, claimRequest: async (id: string) => open.delete(id) }
    expect(await door.verifyAnswer(message, connection, context)).toMatchObject({
      subject: { nameId: honest },
      requestId,
    })
    expect(await door.verifyAnswer(message, connection, context)).toEqual({ refusal: 'request_unknown' })
  })

  test('is not used up by answers that are refused', async () => {
    const claimed: string[] = []
    const claimRequest = async (id: string) => claimed.push(id) > 0
    for (const forgery of forgeries.filter(({ caughtBy }) => !caughtBy.includes('request_unknown')))
      await door.verifyAnswer(forgery.message, { ...connection, ...forgery.connection }, { now, claimRequest })
    expect(claimed).toEqual([])
  })
})
