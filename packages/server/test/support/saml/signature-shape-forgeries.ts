import { createHash } from 'node:crypto'
import { honest, idp, signedAnswer, unsignedAnswer } from './answers.ts'
import type { Forgery } from './forgery.ts'
import {
  evilAnswer,
  evilDigest,
  evilSameId,
  evilWith,
  forged,
  genuineDigest,
  key,
  keyInfoOf,
  signedBadly,
} from './signature-pieces.ts'
import { defaultTransforms, referenceXml, sign, signatureXml, transformsXml, uris } from './signer.ts'
import { around, assertion, bare, evil, genuine, signature, withInner } from './wrapped-answers.ts'

/** Answers whose signature is in a shape that two readers see differently. */

const signedInfo = /<ds:SignedInfo>[\s\S]*<\/ds:SignedInfo>/.exec(signature)?.[0] ?? ''
const evilInfo = signedInfo.replace(genuineDigest, evilDigest)
const hidden = `<ds:Object>${signedInfo}</ds:Object>`

export const signatureShapeForgeries: readonly Forgery[] = [
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
