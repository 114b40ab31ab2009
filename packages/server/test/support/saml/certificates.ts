import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'

/** Keys and certificates of identity providers, made for one run, so that no private key stands in the repository. */

export interface Identity {
  readonly privateKey: KeyObject
  /** The certificate as PEM, signed by itself. */
  readonly certificate: string
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts)
const text = (tag: number, value: string) => der(tag, Buffer.from(value, 'latin1'))
const rsaWithSha256 = sequence(der(6, Buffer.from('2a864886f70d01010b', 'hex')), der(5))
const ecdsaWithSha256 = sequence(der(6, Buffer.from('2a8648ce3d040302', 'hex')))

function selfSigned(publicKey: KeyObject, privateKey: KeyObject, commonName: string): string {
  const algorithm = publicKey.asymmetricKeyType === 'rsa' ? rsaWithSha256 : ecdsaWithSha256
  const name = sequence(der(0x31, sequence(der(6, Buffer.from('550403', 'hex')), text(0x0c, commonName))))
  const validity = sequence(text(0x18, '20200101000000Z'), text(0x18, '21200101000000Z'))
  const version = der(0xa0, der(2, Buffer.from([2])))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const body = sequence(version, der(2, Buffer.from([1])), algorithm, name, validity, name, key)
  const signature = createSign('sha256').update(body).sign(privateKey)
  const bytes = sequence(body, algorithm, der(3, Buffer.from([0]), signature))
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

export function rsaIdentity(commonName: string, modulusLength = 2_048): Identity {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength })
  return { privateKey, certificate: selfSigned(publicKey, privateKey, commonName) }
}

export function ecIdentity(commonName: string, namedCurve = 'prime256v1'): Identity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve })
  return { privateKey, certificate: selfSigned(publicKey, privateKey, commonName) }
}

/** Returns the base64 of a certificate, as metadata and key information carry it. */
export const bareCertificate = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, '')
