import { rulesNamed } from '../answer-rules/answer-rules.ts'

/** A membership that has the e-mail address of somebody whom the provider calls by a name that is new here. */
export interface Namesake {
  readonly isEmailVerified: boolean
  readonly isDomainProved: boolean
  /** True while nobody has come as the member, or in the member's own browser. */
  readonly isWaiting: boolean
  /** True where the provider says that the address is not verified. */
  readonly isEmailDisowned: boolean
  /** True when the provider calls the member by another name already. */
  readonly isKnownOtherwise: boolean
}

/**
 * Rules under which a membership is somebody's because it has their e-mail address. An address alone is no proof: it must be one that the
 * organization owns or the provider has verified, and the membership must wait for its owner.
 */
export const namesakeRules = rulesNamed({
  email_disowned: ({ isEmailDisowned }: Namesake) => !isEmailDisowned,
  email_not_verified: ({ isDomainProved, isEmailVerified }: Namesake) => isDomainProved || isEmailVerified,
  member_in_use: ({ isWaiting }: Namesake) => isWaiting,
  member_known_otherwise: ({ isKnownOtherwise }: Namesake) => !isKnownOtherwise,
})

/** Somebody of whom the organization has no membership. */
export interface Stranger {
  readonly isJit: boolean
  readonly isEmailDisowned: boolean
  readonly isDomainProved: boolean
}

/** Rules under which somebody becomes a member by signing in. */
export const strangerRules = rulesNamed({
  email_disowned: ({ isEmailDisowned }: Stranger) => !isEmailDisowned,
  not_a_member: ({ isJit }: Stranger) => isJit,
  domain_not_proved: ({ isDomainProved }: Stranger) => isDomainProved,
})

/** The rules of admission. Only tests have others. */
export interface AdmissionRules {
  readonly namesakeRules: typeof namesakeRules
  readonly strangerRules: typeof strangerRules
}

export const strictRules: AdmissionRules = { namesakeRules, strangerRules }

/** Reasons why somebody whom their provider knows is not let in. */
export type AdmissionRefusal =
  | (typeof namesakeRules)[number]['name']
  | (typeof strangerRules)[number]['name']
  | 'no_role'
  | 'email_missing'
  | 'member_removed'
  | 'turned_off'
  | 'org_suspended'
  | 'ip_not_allowed'
