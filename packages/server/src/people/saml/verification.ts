import type { KeyObject } from 'node:crypto'
import { brokenRule } from '../answer-rules/answer-rules.ts'
import { keysOf } from './certificates.ts'
import { type AnswerDocument, answerDocument, documentRules } from './document-rules.ts'
import { factRules, requestOf, type SamlConnection } from './fact-rules.ts'
import { parseMarkup, scanMarkup } from './markup.ts'
import { signatureRules } from './signature-rules.ts'
import { ownSignatures, type SignatureRefusal, type SignedParts, signedParts } from './signed-parts.ts'
import { type SamlSubject, subjectOf } from './subject.ts'
import { decodedMessage, markupRules, messageRules } from './text-rules.ts'

/** The parts of a verifier: its rules in the order of checking, and how it finds what is signed. Only tests have another one. */
export interface AnswerVerifier {
  readonly messageRules: typeof messageRules
  readonly markupRules: typeof markupRules
  readonly documentRules: typeof documentRules
  readonly signatureRules: typeof signatureRules
  readonly factRules: typeof factRules
  readonly signedParts: (answer: AnswerDocument, keys: readonly KeyObject[]) => SignedParts | SignatureRefusal
}

export const strictVerifier: AnswerVerifier = {
  messageRules,
  markupRules,
  documentRules,
  signatureRules,
  factRules,
  signedParts,
}

type NameOf<Rules extends readonly { readonly name: string }[]> = Rules[number]['name']

/** Reasons why an answer is refused, for the audit log. A person is told only that sign-in failed. */
export type SamlRefusal =
  | NameOf<typeof messageRules>
  | NameOf<typeof markupRules>
  | NameOf<typeof documentRules>
  | NameOf<typeof signatureRules>
  | NameOf<typeof factRules>
  | SignatureRefusal
  | 'request_unknown'

export type SamlOutcome =
  | { readonly subject: SamlSubject; readonly requestId: string }
  | { readonly refusal: SamlRefusal }

/** Circumstances of an answer. */
export interface AnswerContext {
  readonly now: Date
  /**
   * Claims the request of ours that is answered: true for one that was made for this connection, is not too old and was never
   * claimed before. It is called last, so that a forged answer cannot use up the request of the real one.
   */
  readonly claimRequest: (requestId: string) => Promise<boolean>
}

/** Reads the text of a form into a document, under the rules about texts and documents. */
function readAnswer(verifier: AnswerVerifier, samlResponse: string): AnswerDocument | SamlRefusal {
  const message = brokenRule(verifier.messageRules, samlResponse)
  if (message !== undefined) return message
  const text = decodedMessage(samlResponse)
  const markup = brokenRule(verifier.markupRules, scanMarkup(text))
  if (markup !== undefined) return markup
  const strict = verifier.markupRules.some(({ name }) => name === 'not_well_formed')
  const document = parseMarkup(text, { strict })
  if (document === undefined) return 'not_well_formed'
  const answer = answerDocument(text, document)
  return brokenRule(verifier.documentRules, answer) ?? answer
}

export async function verifyAnswerWith(
  verifier: AnswerVerifier,
  samlResponse: string,
  connection: SamlConnection,
  { now, claimRequest }: AnswerContext,
): Promise<SamlOutcome> {
  const answer = readAnswer(verifier, samlResponse)
  if (typeof answer === 'string') return { refusal: answer }
  for (const own of ownSignatures(answer)) {
    const broken = brokenRule(verifier.signatureRules, own)
    if (broken !== undefined) return { refusal: broken }
  }
  const parts = verifier.signedParts(answer, keysOf(connection.certificates))
  if (typeof parts === 'string') return { refusal: parts }
  const facts = { ...parts, connection, nowMs: now.getTime() }
  const broken = brokenRule(verifier.factRules, facts)
  if (broken !== undefined) return { refusal: broken }
  const requestId = requestOf(facts) ?? ''
  if (!(await claimRequest(requestId))) return { refusal: 'request_unknown' }
  return { subject: subjectOf(parts.assertion), requestId }
}
