import { rulesNamed } from '../answer-rules/answer-rules.ts'
import type { Provider } from './provider.ts'

/** Everything that the rules about the query of a callback read. */
export interface CallbackFacts {
  readonly parameters: URLSearchParams
  readonly provider: Provider
  readonly state: string
}

const single = ['code', 'state', 'iss', 'error']

/** Rules about the query with which a browser comes back. They are checked before the provider is asked anything. */
export const callbackRules = rulesNamed({
  parameter_repeated: ({ parameters }: CallbackFacts) => single.every((name) => parameters.getAll(name).length <= 1),
  state: ({ parameters, state }: CallbackFacts) => parameters.get('state') === state,
  /** A provider that names itself in its answers (RFC 9207) must do so in each: otherwise the answer may be of another one. */
  response_issuer: ({ parameters, provider }: CallbackFacts) => {
    const { issuer, authorization_response_iss_parameter_supported: isAnnounced } =
      provider.configuration.serverMetadata()
    const given = parameters.get('iss')
    return given === null ? isAnnounced !== true : given === issuer
  },
  provider_error: ({ parameters }: CallbackFacts) => !parameters.has('error'),
  code_missing: ({ parameters }: CallbackFacts) => (parameters.get('code') ?? '') !== '',
  /** Tokens in a query would be in logs and histories, and were never asked for. */
  token_in_query: ({ parameters }: CallbackFacts) =>
    ['id_token', 'access_token', 'token', 'response'].every((name) => !parameters.has(name)),
})
