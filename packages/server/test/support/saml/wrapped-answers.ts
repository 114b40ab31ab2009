import { coveted, encoded, honest, idp, signedAnswer, unsignedAnswer } from './answers.ts'
import type { Forgery } from './forgery.ts'
import type { NaiveHabits } from './naive-verifier.ts'
import { sign } from './signer.ts'

/** Answers in which a genuine signed part still verifies, while another part is there to be read. */

const cut = (text: string, pattern: RegExp) => {
  const found = pattern.exec(text)
  if (found === null) throw new Error(`${pattern} is not in the text`)
  return found[0]
}

export const genuine = signedAnswer()
export const assertion = cut(genuine, /<saml:Assertion[\s\S]*<\/saml:Assertion>/)
export const signatureIn = (xml: string) => cut(xml, /<ds:Signature[\s\S]*?<\/ds:Signature>/)
export const signature = signatureIn(assertion)
export const bare = assertion.replace(signature, '')
const head = genuine.slice(0, genuine.indexOf(assertion))
const tail = genuine.slice(genuine.indexOf(assertion) + assertion.length)
export const evil = bare.replace('ID="_assertion"', 'ID="_evil"').replaceAll(honest, coveted)
const issuerEnd = '</saml:Issuer>'
/** Puts XML after the issuer of an assertion, where its signature belongs. */
export const withInner = (xml: string, inner: string) => xml.replace(issuerEnd, issuerEnd + inner)
const withLast = (xml: string, inner: string) => xml.replace(/<\/saml:Assertion>$/, `${inner}</saml:Assertion>`)
const inSignature = (inner: string) => signature.replace('</ds:Signature>', `${inner}</ds:Signature>`)
export const around = (...parts: readonly string[]) => head + parts.join('') + tail

const both = sign(signedAnswer(), { key: idp.privateKey, target: 'Response' })
const responseSignature = signatureIn(both)
const innerResponse = both.replace(responseSignature, '')
const evilResponse = unsignedAnswer({ responseId: 'ID="_evil-response"', assertionId: 'ID="_evil"' }).replaceAll(
  honest,
  coveted,
)

const wrapped = (
  name: string,
  xml: string,
  caughtBy: Forgery['caughtBy'],
  habits: NaiveHabits = { in: 'Assertion' },
): Forgery => ({ name, message: encoded(xml), caughtBy, habits, as: coveted })

export const wrappedAnswers: readonly Forgery[] = [
  wrapped(
    'XSW 1: the signed response inside the signature of an evil one',
    withInner(evilResponse, responseSignature.replace('</ds:Signature>', `${innerResponse}</ds:Signature>`)),
    ['assertion_count', 'assertion_misplaced', 'signature_missing', 'signature_shape', 'reference_target'],
    { in: 'Response' },
  ),
  wrapped(
    'XSW 2: the signed response beside its signature, in an evil one',
    withInner(evilResponse, innerResponse + responseSignature),
    ['assertion_count', 'assertion_misplaced', 'unknown_element', 'signature_missing', 'reference_target'],
    { in: 'Response' },
  ),
  wrapped('XSW 3: an evil assertion before the signed one', around(evil, assertion), [
    'assertion_count',
    'signature_missing',
  ]),
  wrapped('XSW 4: the signed assertion inside an evil one', around(withLast(evil, assertion)), [
    'assertion_count',
    'assertion_misplaced',
    'unknown_element',
    'signature_missing',
  ]),
  wrapped(
    'XSW 5: the signature in an evil assertion, the signed one at the end',
    around(withInner(evil, signature), bare),
    ['assertion_count', 'signature_missing', 'reference_target'],
  ),
  wrapped(
    'XSW 6: the signed assertion inside the signature of an evil one',
    around(withInner(evil, inSignature(bare))),
    ['assertion_count', 'assertion_misplaced', 'signature_missing', 'signature_shape', 'reference_target'],
  ),
  wrapped(
    'XSW 7: an evil assertion in the extensions',
    around(`<samlp:Extensions>${evil}</samlp:Extensions>`, assertion),
    ['assertion_count', 'assertion_misplaced', 'signature_missing'],
    { reads: 'first', in: 'Assertion' },
  ),
  wrapped(
    'XSW 8: the signed assertion in an object of an evil one’s signature',
    around(withInner(evil, inSignature(`<ds:Object>${bare}</ds:Object>`))),
    ['assertion_count', 'assertion_misplaced', 'signature_missing', 'signature_shape', 'reference_target'],
  ),
  wrapped('an evil assertion after the signed one', around(assertion, evil), ['assertion_count', 'signature_missing'], {
    reads: 'last',
    in: 'Assertion',
  }),
  wrapped(
    'the signed assertion in the advice of an evil one',
    around(withLast(evil, `<saml:Advice>${assertion}</saml:Advice>`)),
    ['assertion_count', 'assertion_misplaced', 'signature_missing'],
  ),
  wrapped(
    'the signed assertion in the key information of an evil one',
    around(withInner(evil, inSignature(`<ds:KeyInfo>${bare}</ds:KeyInfo>`))),
    ['assertion_count', 'assertion_misplaced', 'signature_missing', 'reference_target'],
  ),
  wrapped(
    'the signed assertion in the attribute value of an evil one',
    around(evil.replace('>staff<', `>${assertion}<`)),
    ['assertion_count', 'assertion_misplaced', 'signature_missing'],
  ),
  wrapped(
    'the signed assertion in an element nobody knows',
    around(evil, `<x:Box xmlns:x="urn:x">${assertion}</x:Box>`),
    ['assertion_count', 'assertion_misplaced', 'unknown_element', 'signature_missing'],
  ),
  wrapped(
    'an evil assertion whose namespace only looks right, before the signed one',
    around(
      evil
        .replaceAll('saml:Assertion', 'x:Assertion')
        .replace(' ID', ' xmlns:x="urn:oasis:names:tc:SAML:2.0:assertion/" ID'),
      assertion,
    ),
    ['namespace_lookalike', 'assertion_count', 'signature_missing'],
  ),
  wrapped(
    'the signed assertion in a lookalike of an assertion',
    around(`<x:Assertion xmlns:x="urn:x">${assertion}</x:Assertion>`, evil),
    [
      'namespace_lookalike',
      'assertion_count',
      'assertion_misplaced',
      'unknown_element',
      'id_unsound',
      'signature_missing',
    ],
    { in: 'Assertion', reads: 'last' },
  ),
  wrapped(
    'an assertion that stands elsewhere than in the response itself',
    around(`<x:Box xmlns:x="urn:x">${withInner(evil, signature)}</x:Box>`),
    ['assertion_misplaced', 'unknown_element'],
    { believes: true },
  ),
]
