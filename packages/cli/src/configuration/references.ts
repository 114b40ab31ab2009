import { Fault } from '../faults.ts'
import { isRecord } from '../values.ts'

/** A secret in a file: the name of a variable of the environment, and nothing else. The schema allows it in no other field than those for secrets. */
const reference = /^\$\{env:([A-Z_][A-Z0-9_]*)\}$/

/** The credentials of this program itself are not for anybody else. */
const ownVariables = new Set(['WEIR_API_KEY', 'WEIR_OPERATOR_KEY'])

/** Returns a body with the secrets that it refers to. */
export function resolveSecrets(
  body: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => [field, isRecord(value) ? resolveNested(value, env) : value]),
  )
}

const resolveNested = (value: Readonly<Record<string, unknown>>, env: NodeJS.ProcessEnv) =>
  Object.fromEntries(
    Object.entries(value).map(([field, text]) => [field, field === 'client_secret' ? secretOf(text, env) : text]),
  )

function secretOf(text: unknown, env: NodeJS.ProcessEnv): unknown {
  if (typeof text !== 'string') return text
  const [, name = ''] = reference.exec(text) ?? []
  const value = ownVariables.has(name) ? undefined : env[name]
  if (value === undefined || value === '')
    throw new Fault('usage', `the variable ${name} is not set, or not to be used`)
  return value
}
