import type { SamlSubject } from '../saml/saml.ts'
import type { VouchedPerson } from './admission.ts'

const maxNameCharacters = 200
const maxSubjectCharacters = 255
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
/** Forms of names that may be addresses. */
const addressForms = new Set<string | null>([
  null,
  'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
])
const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const emailAttributes = [
  'email',
  'mail',
  'emailAddress',
  `${claims}/emailaddress`,
  'urn:oid:0.9.2342.19200300.100.1.3',
  'urn:oid:1.2.840.113549.1.9.1',
]
const nameAttributes = ['displayName', 'name', `${claims}/name`, 'urn:oid:2.16.840.1.113730.3.1.241']

const isEmail = (text: string | undefined): text is string =>
  text !== undefined && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(text)

/**
 * Reads the person of a SAML answer. A name that is another one at every sign-in names nobody. The address is that of an attribute, or the name
 * itself if it is one; nobody has verified it but the organization, by proving its domain.
 */
export function personOfSaml(
  { nameId, format, attributes }: SamlSubject,
  emailAttribute: string | null,
): VouchedPerson | { readonly refusal: 'subject_unsound' } {
  if (format === transient || nameId.length > maxSubjectCharacters) return { refusal: 'subject_unsound' }
  const first = (names: readonly string[]) =>
    names.flatMap((name) => attributes.get(name) ?? []).find((text) => text !== '')
  const given = first(emailAttribute === null ? emailAttributes : [emailAttribute])
  const email = [given, emailAttribute === null && addressForms.has(format) ? nameId : undefined].find(isEmail) ?? null
  return {
    subject: nameId,
    email,
    isEmailVerified: false,
    name: first(nameAttributes)?.trim().slice(0, maxNameCharacters).toWellFormed() ?? null,
    claims: Object.fromEntries(attributes),
  }
}
