import { constants, createHash, createVerify, type KeyObject } from 'node:crypto'
import type { HashAlgorithm, SignatureAlgorithm } from 'xml-crypto'

/** Algorithms of signatures that are taken: RSA and ECDSA with SHA-256 or better. No HMAC, no DSA, no SHA-1. */

export const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
export const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'

/** Hashes of references, and the length of their values. */
export const digests: Readonly<Record<string, { readonly hash: string; readonly bytes: number }>> = {
  'http://www.w3.org/2001/04/xmlenc#sha256': { hash: 'sha256', bytes: 32 },
  'http://www.w3.org/2001/04/xmldsig-more#sha384': { hash: 'sha384', bytes: 48 },
  'http://www.w3.org/2001/04/xmlenc#sha512': { hash: 'sha512', bytes: 64 },
}

interface SignatureKind {
  readonly hash: string
  readonly key: 'rsa' | 'ec'
  readonly isPss?: true
}

export const signatures: Readonly<Record<string, SignatureKind>> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': { hash: 'sha256', key: 'rsa' },
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384': { hash: 'sha384', key: 'rsa' },
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': { hash: 'sha512', key: 'rsa' },
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1': { hash: 'sha256', key: 'rsa', isPss: true },
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256': { hash: 'sha256', key: 'ec' },
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384': { hash: 'sha384', key: 'ec' },
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512': { hash: 'sha512', key: 'ec' },
}

export const isKnown = (table: Readonly<Record<string, unknown>>, name: string | undefined): name is string =>
  name !== undefined && Object.hasOwn(table, name)

/** Verifies with a key of the algorithm's own type only, so that no key is used for what it was not made for. */
function verifies(kind: SignatureKind, key: KeyObject, signedInfo: string, value: Buffer): boolean {
  if (key.asymmetricKeyType !== kind.key) return false
  const verifier = createVerify(kind.hash).update(signedInfo, 'utf8')
  // XML signatures carry the two numbers of ECDSA side by side, not as DER.
  if (kind.key === 'ec') return verifier.verify({ key, dsaEncoding: 'ieee-p1363' }, value)
  if (kind.isPss !== true) return verifier.verify({ key, padding: constants.RSA_PKCS1_PADDING }, value)
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST
  return verifier.verify({ key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }, value)
}

/** Verifies the value of a signature over a text, with whichever of the keys is of the right type. */
export const isSignedWith = (
  keys: readonly KeyObject[],
  algorithm: string,
  signedInfo: string,
  value: string,
): boolean => {
  const kind = isKnown(signatures, algorithm) ? signatures[algorithm] : undefined
  const bytes = Buffer.from(value, 'base64')
  return kind !== undefined && keys.some((key) => verifies(kind, key, signedInfo, bytes))
}

function fromTable<Entry, Algorithm>(
  table: Readonly<Record<string, Entry>>,
  make: (name: string, entry: Entry) => Algorithm,
): Record<string, new () => Algorithm> {
  // The verifier asks for classes; a constructor that returns an object gives that object.
  const classOf = (algorithm: Algorithm) =>
    function algorithmClass() {
      return algorithm
    } as unknown as new () => Algorithm
  return Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, classOf(make(name, entry))]))
}

/** Returns algorithms that verify with any of the keys given here, and with no key that a message brings along. */
export const signatureAlgorithmsFor = (keys: readonly KeyObject[]) =>
  fromTable(
    signatures,
    (name): SignatureAlgorithm => ({
      getAlgorithmName: () => name,
      getSignature: () => {
        throw new Error('signatures are only verified here')
      },
      verifySignature: (signedInfo: string, _key: unknown, value: string) =>
        isSignedWith(keys, name, signedInfo, value),
    }),
  )

export const hashAlgorithms = () =>
  fromTable(
    digests,
    (name, { hash }): HashAlgorithm => ({
      getAlgorithmName: () => name,
      getHash: (text) => createHash(hash).update(text, 'utf8').digest('base64'),
    }),
  )
