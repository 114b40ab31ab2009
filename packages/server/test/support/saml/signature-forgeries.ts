import { createHash, createPublicKey } from 'node:crypto'
import { attacker, coveted, encoded, honest, idp, nameIdOf, signedAnswer, unsignedAnswer } from './answers.ts'
import { bareCertificate } from './certificates.ts'
import type { Forgery } from './forgery.ts'
import { hmacSecret, type NaiveHabits } from './naive-verifier.ts'
import {
  canonical,
  defaultTransforms,
  parse,
  referenceXml,
  type SigningOptions,
  sign,
  signatureXml,
  transformsXml,
  uris,
} from './signer.ts'
import { around, assertion, bare, evil, genuine, signature, signatureIn, withInner } from './wrapped-answers.ts'

/** Answers whose signature is missing, of somebody else, of a weak kind, or over something else than it seems. */

const evilAnswer = (more: Partial<Parameters<typeof unsignedAnswer>[0]> = {}) =>
  unsignedAnswer({ assertionId: 'ID="_assertion"', ...more }).replaceAll(honest, coveted)
const key = idp.privateKey
/** An answer of the provider itself, signed in a way that is not taken. */
const signedBadly = (options: Partial<SigningOptions>) => sign(unsignedAnswer(), { key, ...options })
const digest = (xml: string) => {
  const element = parse(around(xml)).getElementsByTagName('saml:Assertion')[0]
  return createHash('sha256')
    .update(canonical(element as Element, defaultTransforms))
    .digest('base64')
}
const evilSameId = bare.replaceAll(honest, coveted)
const genuineDigest = digest(bare)
const evilDigest = digest(evilSameId)
const signedInfo = /<ds:SignedInfo>[\s\S]*<\/ds:SignedInfo>/.exec(signature)?.[0] ?? ''
const evilInfo = signedInfo.replace(genuineDigest, evilDigest)
const evilWith = (changed: string) => around(withInner(evilSameId, changed))

const forged = (
  name: string,
  xml: string,
  caughtBy: Forgery['caughtBy'],
  habits?: NaiveHabits,
  as: string = coveted,
): Forgery => ({ name, message: encoded(xml), caughtBy, as, ...(habits && { habits }) })

const keyInfoOf = (certificate: string) =>
  `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${bareCertificate(certificate)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`
const xpathTransforms = [uris.enveloped, uris.xpath, uris.exclusive]
const unnamed = unsignedAnswer({ nameId: '' })
const digestWithoutName = createHash('sha256')
  .update(canonical(parse(unnamed).getElementsByTagName('saml:Assertion')[0] as Element, defaultTransforms))
  .digest('base64')
const relative = unsignedAnswer({ assertionId: 'ID="_assertion" xmlns:ns="1"' }).replaceAll(honest, coveted)
const digestOfNothing = createHash('sha256').update('').digest('base64')
const hidden = `<ds:Object>${signedInfo}</ds:Object>`
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
  forged(
    'two SignedInfo, the forged one first',
    evilWith(signature.replace(signedInfo, evilInfo + signedInfo)),
    ['signed_info_count', 'signature_shape'],
    {
      verifiesInfo: 1,
    },
  ),
  forged(
    'two SignedInfo, the forged one last',
    evilWith(signature.replace(signedInfo, signedInfo + evilInfo)),
    ['signed_info_count', 'signature_shape'],
    {
      readsInfo: 1,
    },
  ),
  forged(
    'the real SignedInfo in an object, the forged one in its place',
    evilWith(signature.replace(signedInfo, evilInfo).replace('</ds:Signature>', `${hidden}</ds:Signature>`)),
    ['signature_shape'],
    { verifiesInfo: 1 },
  ),
  forged(
    'the real SignedInfo in the key information',
    evilWith(
      signature
        .replace(signedInfo, evilInfo)
        .replace('</ds:Signature>', `<ds:KeyInfo>${signedInfo}</ds:KeyInfo></ds:Signature>`),
    ),
    ['signature_shape'],
    { verifiesInfo: 1 },
  ),
  forged(
    'key information before the signed information',
    signedBadly({ keyInfo: keyInfoOf(idp.certificate) }).replace(
      /(<ds:SignedInfo>.*<\/ds:SignatureValue>)(<ds:KeyInfo>.*<\/ds:KeyInfo>)/,
      '$2$1',
    ),
    ['signature_shape'],
    {},
    honest,
  ),
  forged(
    'a forged digest as a comment before the real one',
    evilWith(signature.replace(genuineDigest, `<!--${evilDigest}-->${genuineDigest}`)),
    ['comment', 'digest_value'],
    { readsDigestComment: true },
  ),
  forged(
    'two values of the digest',
    evilWith(signature.replace('<ds:DigestValue>', `<ds:DigestValue>${evilDigest}</ds:DigestValue><ds:DigestValue>`)),
    ['signature_shape'],
    { believes: true },
  ),
  forged(
    'two values of the digest, both of them signed',
    evilWith(
      signatureXml({
        key,
        uri: '#_assertion',
        digestValue: `${genuineDigest}</ds:DigestValue><ds:DigestValue>${evilDigest}`,
      }),
    ),
    ['signature_shape'],
    { digestValue: 1 },
  ),
  forged(
    'an element inside the value of the digest',
    sign(unsignedAnswer(), { key, digestValue: `<ds:X></ds:X>${genuineDigest}` }),
    ['digest_value'],
    {},
    honest,
  ),
  forged('a digest that is too short', sign(evilAnswer(), { key, digestValue: 'AAAA' }), ['digest_value'], {
    believes: true,
  }),
  forged(
    'a second reference that is never verified',
    sign(evilAnswer(), {
      key,
      moreReferences: referenceXml('#_response', transformsXml(defaultTransforms), uris.sha256, genuineDigest),
    }),
    ['reference_count', 'signature_shape'],
    { verifiesOneReference: true },
  ),
  forged(
    'no reference at all',
    genuine.replace(/<ds:Reference .*<\/ds:Reference>/, ''),
    ['reference_count', 'signature_shape', 'reference_target', 'transforms', 'digest_algorithm', 'digest_value'],
    { believes: true },
    honest,
  ),
  forged(
    'a reference to the whole document',
    signedBadly({ uri: '' }),
    ['reference_target'],
    { believes: true },
    honest,
  ),
  forged(
    'a reference by XPointer',
    signedBadly({ uri: "#xpointer(id('_assertion'))" }),
    ['reference_target'],
    {},
    honest,
  ),
  forged(
    'a signature over another element of the same answer',
    around(
      `<samlp:Extensions><x:Box xmlns:x="urn:x" ID="_box"></x:Box></samlp:Extensions>`,
      withInner(
        evil,
        signatureXml({
          key,
          uri: '#_box',
          digestValue: createHash('sha256').update('<x:Box xmlns:x="urn:x" ID="_box"></x:Box>').digest('base64'),
        }),
      ),
    ),
    ['reference_target'],
    {},
  ),
  forged(
    'a reference to a file elsewhere',
    signedBadly({ uri: 'https://attacker.example.com/a.xml' }),
    ['reference_target'],
    { believes: true },
    honest,
  ),
  forged(
    'a decoy signature before the real one',
    around(withInner(assertion, signature.replace('_assertion', '_decoy'))),
    ['signature_count', 'reference_target'],
    { signature: 1, dropsAllSignatures: true },
    honest,
  ),
  forged(
    'a decoy signature after the real one',
    genuine.replace('</ds:Signature>', `</ds:Signature>${signature.replace('_assertion', '_decoy')}`),
    ['signature_count'],
    { dropsAllSignatures: true },
    honest,
  ),
  forged(
    'a decoy signature in the status',
    signedAnswer().replace('</samlp:Status>', `<samlp:StatusDetail>${signature}</samlp:StatusDetail></samlp:Status>`),
    ['signature_count'],
    { signature: 1 },
    honest,
  ),
  forged(
    'the signature elsewhere in the assertion than in its place',
    around(bare.replace('</saml:AuthnContext>', `${signature}</saml:AuthnContext>`)),
    ['signature_missing', 'signature_count'],
    { believes: true },
    honest,
  ),
  forged(
    'a signature in a namespace that only looks right',
    around(withInner(evilSameId, signature.replaceAll('2000/09/xmldsig#', '2000/09/xmldsig'))),
    ['namespace_lookalike', 'signature_missing', 'signature_count'],
    { believes: true },
  ),
  forged(
    'a SignedInfo of another namespace beside the real one',
    evilWith(
      signature.replace(
        '<ds:SignedInfo>',
        `${evilInfo.replaceAll('ds:', 'x:').replace('<x:SignedInfo>', '<x:SignedInfo xmlns:x="urn:x">')}<ds:SignedInfo>`,
      ),
    ),
    ['namespace_lookalike', 'signature_shape'],
    { verifiesInfo: 1 },
  ),
]
