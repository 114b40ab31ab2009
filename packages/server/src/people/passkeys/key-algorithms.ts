import { cose, decodeCredentialPublicKey } from '@simplewebauthn/server/helpers'

const { COSEALG, COSECRV, COSEKEYS, COSEKTY } = cose

/** Algorithms of passkeys, in the order of preference. */
export const algorithms: readonly number[] = [COSEALG.ES256, COSEALG.EdDSA, COSEALG.RS256]

const coordinateBytes = 32
const minModulusBytes = 256
const maxModulusBytes = 512

type PublicKey = ReadonlyMap<number, unknown>

const hasBytes = (key: PublicKey, label: number, length: number) => {
  const value = key.get(label)
  return value instanceof Uint8Array && value.length === length
}

/** The shape of the key that belongs to each algorithm. A key that says one thing and is another is refused. */
const shapes: ReadonlyMap<unknown, (key: PublicKey) => boolean> = new Map([
  [
    COSEALG.ES256,
    (key) =>
      key.get(COSEKEYS.kty) === COSEKTY.EC2 &&
      key.get(COSEKEYS.crv) === COSECRV.P256 &&
      hasBytes(key, COSEKEYS.x, coordinateBytes) &&
      hasBytes(key, COSEKEYS.y, coordinateBytes),
  ],
  [
    COSEALG.EdDSA,
    (key) =>
      key.get(COSEKEYS.kty) === COSEKTY.OKP &&
      key.get(COSEKEYS.crv) === COSECRV.ED25519 &&
      hasBytes(key, COSEKEYS.x, coordinateBytes),
  ],
  [
    COSEALG.RS256,
    (key) => {
      const modulus = key.get(COSEKEYS.n)
      return (
        key.get(COSEKEYS.kty) === COSEKTY.RSA &&
        modulus instanceof Uint8Array &&
        modulus.length >= minModulusBytes &&
        modulus.length <= maxModulusBytes &&
        (modulus[0] ?? 0) >= 0x80 &&
        isUsualExponent(key.get(COSEKEYS.e))
      )
    },
  ],
])

/** True for 65537, the exponent that all authenticators use: 1 would let anybody sign. */
const isUsualExponent = (value: unknown) =>
  value instanceof Uint8Array && Buffer.from(value).toString('hex') === '010001'

/** True for a public key of an algorithm that we offer, and of that algorithm's shape. */
export function isSoundKey(bytes: Uint8Array): boolean {
  const key: unknown = decodeCredentialPublicKey(new Uint8Array(bytes))
  return key instanceof Map && (shapes.get(key.get(COSEKEYS.alg))?.(key) ?? false)
}
