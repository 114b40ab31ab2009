/** The person that a provider vouches for, as the ID token names them. */
export interface OidcSubject {
  readonly subject: string
  /** The e-mail address that the token gives; null where it gives none. */
  readonly email: string | null
  /** True only where the provider itself says that it has verified the address. */
  readonly isEmailVerified: boolean
  readonly name: string | null
  /** The provider's session, by which it may end ours. */
  readonly sessionId: string | null
  readonly claims: Readonly<Record<string, unknown>>
}

const maxEmailCharacters = 254
const maxNameCharacters = 200
const maxSessionIdCharacters = 255

const isEmail = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxEmailCharacters && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(value)

/**
 * Reads the person of an ID token for which all rules hold. Where there is no e-mail address, the name with which somebody signs in at the
 * provider is taken if it is one, as Entra ID has it; such an address nobody has verified.
 */
export function subjectOf(claims: Readonly<Record<string, unknown>>): OidcSubject {
  const { sub, email, email_verified, preferred_username, name, sid } = claims
  return {
    subject: String(sub),
    email: isEmail(email) ? email : isEmail(preferred_username) ? preferred_username : null,
    isEmailVerified: isEmail(email) && email_verified === true,
    name:
      typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, maxNameCharacters).toWellFormed() : null,
    sessionId: typeof sid === 'string' && sid.length <= maxSessionIdCharacters ? sid : null,
    claims,
  }
}
