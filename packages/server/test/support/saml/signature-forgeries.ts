import { createHash, createPublicKey } from 'node:crypto'
import { attacker, coveted, honest, idp, nameIdOf, signedAnswer, unsignedAnswer } from './answers.ts'
import type { Forgery } from './forgery.ts'
import { hmacSecret } from './naive-verifier.ts'
import { evilAnswer, evilWith, forged, key, keyInfoOf, signedBadly } from './signature-pieces.ts'
import { canonical, defaultTransforms, parse, sign, uris } from './signer.ts'
import { genuine, signature, signatureIn } from './wrapped-answers.ts'

/** Answers whose signature is missing, of somebody else, of a weak kind, or over a form that is not taken. */

const xpathTransforms = [uris.enveloped, uris.xpath, uris.exclusive]
const unnamed = unsignedAnswer({ nameId: '' })
const digestWithoutName = createHash('sha256')
  .update(canonical(parse(unnamed).getElementsByTagName('saml:Assertion')[0] as Element, defaultTransforms))
  .digest('base64')
const relative = unsignedAnswer({ assertionId: 'ID="_assertion" xmlns:ns="1"' }).replaceAll(honest, coveted)
const digestOfNothing = createHash('sha256').update('').digest('base64')
const signatureOfAnother = signatureIn(signedAnswer({ nameId: nameIdOf('bob@example.com') }))
const publicKey = createPublicKey(key)

export const signatureForgeries: readonly Forgery[] = [
  forged('no signature at all', evilAnswer(), ['signature_missing'], { believes: true }),
  forged(
    'a signature of the response only',
    sign(unsignedAnswer(), { key, target: 'Response' }),
    ['signature_missing'],
    { in: 'Response' },
    honest,
  ),
  forged('a name changed after signing', genuine.replaceAll(honest, coveted), ['signature_invalid'], {
    believes: true,
  }),
  forged(
    'a group changed after signing',
    genuine.replace('>staff<', '>owners<'),
    ['signature_invalid'],
    { believes: true },
    honest,
  ),
  forged('a signature of another key', sign(evilAnswer(), { key: attacker.privateKey }), ['signature_invalid'], {
    believes: true,
  }),
  forged(
    'a signature of another key, whose certificate it brings along',
    sign(evilAnswer(), { key: attacker.privateKey, keyInfo: keyInfoOf(attacker.certificate) }),
    ['signature_invalid'],
    { trustsKeyInfo: true },
  ),
  forged(
    'a signature of another key, under the provider’s own certificate',
    sign(evilAnswer(), { key: attacker.privateKey, keyInfo: keyInfoOf(idp.certificate) }),
    ['signature_invalid'],
    { believes: true },
  ),
  forged('the signature of another assertion', evilWith(signatureOfAnother), ['signature_invalid'], { believes: true }),
  forged(
    'an empty signature value',
    evilWith(signature.replace(/(<ds:SignatureValue>)[^<]*/, '$1')),
    ['signature_value'],
    {
      believes: true,
    },
  ),
  forged(
    'a signature value that is not base64',
    genuine.replace('<ds:SignatureValue>', '<ds:SignatureValue>%%%%'),
    ['signature_value'],
    {},
    honest,
  ),
  forged(
    'a good assertion in a response whose own signature is broken',
    sign(genuine, { key: attacker.privateKey, target: 'Response' }),
    ['response_signature_invalid'],
    { in: 'Assertion' },
    honest,
  ),
  forged(
    'a signed response whose status was changed',
    sign(genuine.replace('status:Success', 'status:Requester'), { key, target: 'Response' }).replace(
      'status:Requester',
      'status:Success',
    ),
    ['response_signature_invalid'],
    { in: 'Assertion' },
    honest,
  ),
  forged('SHA-1 in the signature', signedBadly({ algorithm: uris.rsaSha1 }), ['signature_algorithm'], {}, honest),
  forged('SHA-1 in the digest', signedBadly({ digest: uris.sha1 }), ['digest_algorithm'], {}, honest),
  forged(
    'an HMAC whose secret is the public key',
    sign(evilAnswer(), { key: hmacSecret(publicKey), algorithm: uris.hmacSha256 }),
    ['signature_algorithm'],
    { knowsHmac: true },
  ),
  forged(
    'an HMAC cut to no bits at all',
    sign(evilAnswer(), {
      key: hmacSecret(publicKey),
      algorithm: uris.hmacSha256,
      insideMethod: '<ds:HMACOutputLength>0</ds:HMACOutputLength>',
    }),
    ['signature_algorithm'],
    { knowsHmac: true },
  ),
  forged(
    'an algorithm named as a property of every object',
    signedBadly({ algorithm: 'constructor' }),
    ['signature_algorithm'],
    {},
    honest,
  ),
  forged(
    'inclusive canonicalization of what is signed',
    signedBadly({ transforms: [uris.enveloped, uris.inclusive] }),
    ['transforms'],
    {},
    honest,
  ),
  forged(
    'canonicalization that keeps comments',
    signedBadly({ transforms: [uris.enveloped, uris.exclusiveWithComments] }),
    ['transforms'],
    {},
    honest,
  ),
  forged(
    'inclusive canonicalization of the signed information',
    signedBadly({ canonicalization: uris.inclusive }),
    ['canonicalization'],
    { believes: true },
    honest,
  ),
  forged(
    'canonicalization of the signed information that keeps comments',
    signedBadly({ canonicalization: uris.exclusiveWithComments }),
    ['canonicalization'],
    {},
    honest,
  ),
  forged(
    'an XSLT transform',
    signedBadly({ transforms: [uris.enveloped, uris.xslt, uris.exclusive] }),
    ['transforms'],
    {},
    honest,
  ),
  forged(
    'an XPath transform that leaves the name out',
    sign(evilAnswer(), {
      key,
      transforms: xpathTransforms,
      insideTransform: { [uris.xpath]: '<ds:XPath>not(self::saml:NameID)</ds:XPath>' },
      digestValue: digestWithoutName,
    }),
    ['transforms'],
    { obeysXPath: true },
  ),
  forged(
    'a transform twice',
    signedBadly({ transforms: [uris.enveloped, uris.exclusive, uris.exclusive] }),
    ['transforms'],
    {},
    honest,
  ),
  forged(
    'no transform that takes the signature out',
    signedBadly({ transforms: [uris.exclusive] }),
    ['transforms'],
    { believes: true },
    honest,
  ),
  forged(
    'a transform with something inside it',
    signedBadly({ insideTransform: { [uris.enveloped]: '<ds:XPath>true()</ds:XPath>' } }),
    ['transforms'],
    {},
    honest,
  ),
  forged(
    'no transforms at all',
    genuine.replace(/<ds:Transforms>.*<\/ds:Transforms>/, ''),
    ['signature_shape', 'transforms'],
    { believes: true },
    honest,
  ),
  forged(
    'void canonicalization: a relative namespace, and the digest of nothing',
    sign(relative, { key, digestValue: digestOfNothing }),
    ['namespace_unsound', 'digest_value'],
    { canonicalizesToNothing: true },
  ),
  forged('the digest of nothing', sign(evilAnswer(), { key, digestValue: digestOfNothing }), ['digest_value'], {
    believes: true,
  }),
]
