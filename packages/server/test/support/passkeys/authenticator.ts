import { generateKeyPairSync, hash, type JsonWebKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import { type CborValue, cbor } from './cbor.ts'

export type KeyName = 'ES256' | 'EdDSA' | 'RS256' | 'ES384' | 'RS1' | 'weak RSA'

/** A passkey in a software authenticator, with all that real ones keep to themselves. */
export interface TestPasskey {
  readonly id: string
  readonly keyName: KeyName
  readonly privateKey: KeyObject
  readonly coseKey: Map<number, CborValue>
  readonly handle: Buffer
  counter: number
}

/** Departures from what an honest browser and authenticator answer. */
export interface Faults {
  /** Statements of the browser, replaced; those that are undefined are left out. */
  readonly client?: Readonly<Record<string, unknown>>
  readonly rpId?: string
  readonly counter?: number
  readonly isAbsent?: true
  readonly isUnverified?: true
  readonly isBackupEligible?: boolean
  readonly isBackedUp?: boolean
  /** Fields of the answer itself, replaced. */
  readonly answer?: Readonly<Record<string, unknown>>
  readonly handle?: Buffer
  /** Whose private key signs. */
  readonly signer?: TestPasskey
  readonly hash?: string
  /** Changes bytes of the signature after it was made. */
  readonly bend?: (signature: Buffer) => Buffer
  /** The public key, as it is shown at registration. */
  readonly coseKey?: Map<number, CborValue>
  readonly attestedId?: Buffer
  readonly attestation?: { readonly fmt: string; readonly attStmt: ReadonlyMap<string, CborValue> }
}

export interface Ask {
  readonly origin: string
  readonly rpId: string
  readonly challenge: string
}

const pairs: Record<KeyName, () => { privateKey: KeyObject; publicKey: KeyObject }> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  RS1: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  'weak RSA': () => generateKeyPairSync('rsa', { modulusLength: 1_024 }),
}
const hashes: Record<KeyName, string | null> = {
  ES256: 'sha256',
  ES384: 'sha384',
  EdDSA: null,
  RS256: 'sha256',
  RS1: 'sha1',
  'weak RSA': 'sha256',
}
const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url')
const coseKeyOf = (name: KeyName, { x, y, n, e }: JsonWebKey): Map<number, CborValue> => {
  if (name === 'EdDSA')
    return new Map<number, CborValue>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(x)],
    ])
  if (name === 'ES256')
    return new Map<number, CborValue>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ])
  if (name === 'ES384')
    return new Map<number, CborValue>([
      [1, 2],
      [3, -35],
      [-1, 2],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ])
  return new Map<number, CborValue>([
    [1, 3],
    [3, name === 'RS1' ? -65_535 : -257],
    [-1, bytes(n)],
    [-2, bytes(e)],
  ])
}

/** Makes a passkey for a person. */
export function newPasskey(handle: Buffer, keyName: KeyName = 'ES256'): TestPasskey {
  const { privateKey, publicKey } = pairs[keyName]()
  const coseKey = coseKeyOf(keyName, publicKey.export({ format: 'jwk' }))
  return { id: randomBytes(32).toString('base64url'), keyName, privateKey, coseKey, handle, counter: 0 }
}

const flag = { present: 1, verified: 4, eligible: 8, backedUp: 16, attested: 64 }

function authenticatorData(ask: Ask, faults: Faults, counter: number, attested = Buffer.alloc(0)): Buffer {
  const { isBackupEligible = true, isBackedUp = true } = faults
  const flags =
    (faults.isAbsent ? 0 : flag.present) |
    (faults.isUnverified ? 0 : flag.verified) |
    (isBackupEligible ? flag.eligible : 0) |
    (isBackedUp ? flag.backedUp : 0) |
    (attested.length > 0 ? flag.attested : 0)
  const tail = Buffer.alloc(5)
  tail.writeUInt8(flags, 0)
  tail.writeUInt32BE(faults.counter ?? counter, 1)
  return Buffer.concat([hash('sha256', faults.rpId ?? ask.rpId, 'buffer'), tail, attested])
}

const clientData = (ask: Ask, type: string, faults: Faults) =>
  Buffer.from(
    JSON.stringify({ type, challenge: ask.challenge, origin: ask.origin, crossOrigin: false, ...faults.client }),
  )

const answerText = (passkey: TestPasskey, response: Record<string, unknown>, faults: Faults) =>
  JSON.stringify({
    id: passkey.id,
    rawId: passkey.id,
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
    response,
    ...faults.answer,
  })

/** Answers a request for a new passkey. */
export function registrationAnswer(passkey: TestPasskey, ask: Ask, faults: Faults = {}): string {
  const id = faults.attestedId ?? Buffer.from(passkey.id, 'base64url')
  const length = Buffer.alloc(2)
  length.writeUInt16BE(id.length)
  const attested = Buffer.concat([Buffer.alloc(16), length, id, cbor(faults.coseKey ?? passkey.coseKey)])
  const authData = authenticatorData(ask, faults, passkey.counter, attested)
  const { fmt, attStmt } = faults.attestation ?? { fmt: 'none', attStmt: new Map<string, CborValue>() }
  const object = cbor(
    new Map<string, CborValue>([
      ['fmt', fmt],
      ['attStmt', attStmt],
      ['authData', authData],
    ]),
  )
  const client = clientData(ask, 'webauthn.create', faults)
  const response = {
    clientDataJSON: client.toString('base64url'),
    attestationObject: object.toString('base64url'),
    transports: ['internal'],
  }
  return answerText(passkey, response, faults)
}

/** Answers a request for a passkey. An honest authenticator counts its answers. */
export function assertionAnswer(passkey: TestPasskey, ask: Ask, faults: Faults = {}): string {
  if (passkey.counter > 0) passkey.counter += 1
  const authData = authenticatorData(ask, faults, passkey.counter)
  const client = clientData(ask, 'webauthn.get', faults)
  const { keyName, privateKey } = faults.signer ?? passkey
  const signed = Buffer.concat([authData, hash('sha256', client, 'buffer')])
  const signature = sign(faults.hash ?? hashes[keyName], signed, privateKey)
  const response = {
    clientDataJSON: client.toString('base64url'),
    authenticatorData: authData.toString('base64url'),
    signature: (faults.bend?.(signature) ?? signature).toString('base64url'),
    userHandle: (faults.handle ?? passkey.handle).toString('base64url'),
  }
  return answerText(passkey, response, faults)
}

/** Returns the signature of an authenticator that attests itself, over what it says at a registration. */
export function selfAttestation(passkey: TestPasskey, ask: Ask): NonNullable<Faults['attestation']> {
  const text = registrationAnswer(passkey, ask)
  const { response } = JSON.parse(text) as { response: Record<string, string> }
  const object = Buffer.from(response['attestationObject'] ?? '', 'base64url')
  const at = object.indexOf(cbor('authData')) + cbor('authData').length
  // A byte string of two bytes of length: an authenticator says more than 255 bytes here only with RSA.
  const authData = object.subarray(at + ((object[at] ?? 0) === 0x59 ? 3 : 2))
  const signed = Buffer.concat([authData, hash('sha256', bytes(response['clientDataJSON']), 'buffer')])
  const alg = passkey.coseKey.get(3) ?? 0
  const sig = sign(hashes[passkey.keyName], signed, passkey.privateKey)
  return {
    fmt: 'packed',
    attStmt: new Map<string, CborValue>([
      ['alg', alg],
      ['sig', sig],
    ]),
  }
}
