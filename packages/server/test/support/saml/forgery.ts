import type { SamlConnection, SamlRefusal } from '../../../src/people/saml/saml.ts'
import type { NaiveHabits } from './naive-verifier.ts'

/** An answer that must be refused, and the weakness that would let it in. */
export interface Forgery {
  readonly name: string
  /** The text of the form. */
  readonly message: string
  /** Rules each of which alone refuses it; the first is the reason that is given. */
  readonly caughtBy: readonly [SamlRefusal, ...SamlRefusal[]]
  /** The habits of the verifier that lets it in; the strict verifier itself does, unless given. */
  readonly habits?: NaiveHabits
  /** The name that it gets in under: one that the attacker wants, or that of the person whose answer it is. */
  readonly as?: string
  readonly connection?: Partial<SamlConnection>
  /** False for a request that was never made, or was answered before. */
  readonly isClaimed?: false
}
