import { type KeyObject, X509Certificate } from 'node:crypto'
import { strictBase64 } from './characters.ts'

const minRsaBits = 2_048
const curves = new Set(['prime256v1', 'secp384r1', 'secp521r1'])

/** Certificate of an identity provider that can verify signatures, or the reason why it cannot. */
export type CertificateReading =
  | { readonly pem: string; readonly key: KeyObject }
  | { readonly fault: 'certificate_malformed' | 'certificate_weak' }

/**
 * Reads a certificate: PEM, or its base64 alone as metadata carries it. Its dates are not judged: an identity provider is trusted by
 * the key that an administrator entered, most such certificates are signed by themselves, and many are used beyond their last day.
 */
export function readCertificate(text: string): CertificateReading {
  const body = /^\s*-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----\s*$/.exec(text)?.[1] ?? text
  const der = strictBase64(body)
  if (der === undefined) return { fault: 'certificate_malformed' }
  try {
    const certificate = new X509Certificate(der)
    const key = certificate.publicKey
    return isStrong(key) ? { pem: certificate.toString(), key } : { fault: 'certificate_weak' }
  } catch {
    return { fault: 'certificate_malformed' }
  }
}

function isStrong({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) >= minRsaBits
  return asymmetricKeyType === 'ec' && curves.has(asymmetricKeyDetails?.namedCurve ?? '')
}

/** Returns the keys of those certificates that can verify signatures. */
export const keysOf = (certificates: readonly string[]): readonly KeyObject[] =>
  certificates.map(readCertificate).flatMap((reading) => ('key' in reading ? [reading.key] : []))
