import { createHash } from 'node:crypto'
import { coveted, encoded, honest, idp, unsignedAnswer } from './answers.ts'
import { bareCertificate } from './certificates.ts'
import type { Forgery } from './forgery.ts'
import type { NaiveHabits } from './naive-verifier.ts'
import { canonical, defaultTransforms, parse, type SigningOptions, sign } from './signer.ts'
import { around, bare, withInner } from './wrapped-answers.ts'

/** Pieces that forgeries of signatures are made of. */

export const evilAnswer = (more: Partial<Parameters<typeof unsignedAnswer>[0]> = {}) =>
  unsignedAnswer({ assertionId: 'ID="_assertion"', ...more }).replaceAll(honest, coveted)
export const key = idp.privateKey
/** An answer of the provider itself, signed in a way that is not taken. */
export const signedBadly = (options: Partial<SigningOptions>) => sign(unsignedAnswer(), { key, ...options })
const digest = (xml: string) => {
  const element = parse(around(xml)).getElementsByTagName('saml:Assertion')[0]
  return createHash('sha256')
    .update(canonical(element as Element, defaultTransforms))
    .digest('base64')
}
export const evilSameId = bare.replaceAll(honest, coveted)
export const genuineDigest = digest(bare)
export const evilDigest = digest(evilSameId)
export const evilWith = (changed: string) => around(withInner(evilSameId, changed))

export const forged = (
  name: string,
  xml: string,
  caughtBy: Forgery['caughtBy'],
  habits?: NaiveHabits,
  as: string = coveted,
): Forgery => ({ name, message: encoded(xml), caughtBy, as, ...(habits && { habits }) })

export const keyInfoOf = (certificate: string) =>
  `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${bareCertificate(certificate)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`
