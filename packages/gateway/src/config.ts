import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { addressOf, type Credential, GatewayConfig, type ModelConfig, type SecretSource } from './config-schema.ts'
import { kindFaults, unservedFaults } from './provider-faults.ts'
import { readSecret } from './secret-source.ts'
import { parseAwsKeys } from './values/aws-keys.ts'
import { parseGoogleKey } from './values/google-key.ts'
import { isNetwork } from './values/proxy-list.ts'

/** Thrown for a configuration that cannot be used; says everything that is wrong with it. */
export class ConfigurationError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(
      `the configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
    )
    this.faults = faults
  }
}

const validate = new Ajv({ allErrors: true, strict: false }).compile(GatewayConfig)

/** Reads the configuration file that a variable names. */
export function readConfigFile(path: string, env: NodeJS.ProcessEnv, isInside = false): GatewayConfig {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigurationError([`${path} cannot be read: ${String(error)}`])
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ConfigurationError([`${path} is not JSON: ${String(error)}`])
  }
  return checkConfig(value, env, isInside)
}

/** Checks a configuration, of a gateway that is a program of its own or runs inside Weir. */
export function checkConfig(value: unknown, env: NodeJS.ProcessEnv, isInside = false): GatewayConfig {
  if (!validate(value)) throw new ConfigurationError(formFaults(value))
  const config = value as GatewayConfig
  const faults = [...crossFaults(config, isInside), ...secretFaults(config, env)]
  if (faults.length > 0) throw new ConfigurationError(faults)
  return config
}

/** Says what is wrong with the form, without the alternatives of a union that were not meant. */
function formFaults(value: unknown): string[] {
  const errors = validate.errors ?? []
  const inUnion = (path: string) => errors.some((one) => one.keyword === 'anyOf' && path.startsWith(one.instancePath))
  const plain = errors.filter((one) => one.keyword !== 'anyOf' && !inUnion(one.instancePath))
  const unions = errors.filter((one) => one.keyword === 'anyOf')
  return [
    ...plain.map((one) => `${placeOf(one.instancePath)} ${one.message}${extraOf(one.params)}`),
    ...unions.map(
      (one) => `${placeOf(one.instancePath)} ${unionHint(one.instancePath)}: ${shown(value, one.instancePath)}`,
    ),
  ]
}

const placeOf = (path: string) => (path === '' ? 'the file' : path.slice(1).replaceAll('/', '.'))
const extraOf = (params: Record<string, unknown>) =>
  'additionalProperty' in params
    ? `: ${String(params['additionalProperty'])}`
    : 'allowedValues' in params
      ? `: ${String(params['allowedValues'])}`
      : ''
const unionHint = (path: string) =>
  path.endsWith('/credential')
    ? 'must be {"header", "env" or "file"}, {"aws": {"access_key_id", "secret_access_key"}} or {"aws": {"exported"}}, {"google": {"env" or "file"}}, {"client": true} or {"none": true}, and nothing else'
    : path.startsWith('/models/')
      ? 'must have "name" and "alias", or "name" or "prefix" with traits of a model, and nothing else'
      : 'has a form that is not known'
/** Names the fields that stand at a place; never their values, which may be secrets that should not be there. */
const shown = (value: unknown, path: string): string => {
  const found = path
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)
  return found !== null && typeof found === 'object'
    ? `it has ${Object.keys(found).join(', ')}`
    : `it is ${typeof found}`
}

function crossFaults({ providers, models = [], weir, listen }: GatewayConfig, isInside: boolean): string[] {
  const names = Object.keys(providers)
  const known = (name: string, place: string) =>
    names.includes(name) ? [] : [`${place} names the provider ${name}, which is not configured`]
  return [
    ...(names.length === 0 ? ['providers must have at least one'] : []),
    ...(listen?.trusted_proxies ?? [])
      .filter((network) => !isNetwork(network))
      .map((network) => `listen.trusted_proxies has ${network}, which is no address or network`),
    ...(isInside ? [] : urlFaults(weir.url ?? '', 'weir.url')),
    ...Object.entries(providers).flatMap(([name, provider]) => [
      ...urlFaults(addressOf(provider), `providers.${name}.base_url`),
      ...kindFaults(provider, `providers.${name}`),
    ]),
    ...models.flatMap((model, i) => modelFaults(model, i, models, known)),
    ...models.flatMap((model, i) => unservedFaults(model, `models.${i}`, providers)),
  ]
}

const urlFaults = (url: string, place: string) => {
  if (url === '') return []
  const protocol = URL.parse(url)?.protocol
  return protocol === 'http:' || protocol === 'https:' ? [] : [`${place} is not an http or https address: ${url}`]
}

function modelFaults(
  model: ModelConfig,
  index: number,
  all: readonly ModelConfig[],
  known: (name: string, place: string) => string[],
): string[] {
  const place = `models.${index}`
  if ('name' in model && model.name.startsWith('route:'))
    return [`${place} begins with route:, which stands for a route of Weir: ${model.name}`]
  if ('alias' in model) {
    const target = all.find((one) => 'name' in one && one.name === model.alias)
    return target && 'alias' in target ? [`${place} is an alias of an alias: ${model.alias}`] : []
  }
  return [model.provider, ...(model.fallback ?? [])].flatMap((name) => (name === undefined ? [] : known(name, place)))
}

function secretFaults(config: GatewayConfig, env: NodeJS.ProcessEnv): string[] {
  const sources: [string, SecretSource | undefined][] = [
    ['weir.settlement_key', config.weir.settlement_key],
    ...Object.entries(config.providers).flatMap(([name, { credential }]) =>
      secretsOf(credential, `providers.${name}.credential`),
    ),
  ]
  return sources.flatMap(([place, source]) => {
    if (source === undefined) return []
    if ((source.env === undefined) === (source.file === undefined))
      return [`${place} must have "env" or "file", and one of them`]
    try {
      const secret = readSecret(source, env)
      if (secret !== '' && place.endsWith('.google')) parseGoogleKey(secret)
      if (secret !== '' && place.endsWith('.aws.exported')) parseAwsKeys(secret)
      return secret === '' ? [`${place} is empty`] : []
    } catch (error) {
      return [`${place}: ${error instanceof Error ? error.message : String(error)}`]
    }
  })
}

/** The secrets of a credential, with their places. */
function secretsOf(credential: Credential, place: string): [string, SecretSource][] {
  if ('client' in credential || 'none' in credential) return []
  if ('aws' in credential)
    return Object.entries(credential.aws).map(([field, source]) => [`${place}.aws.${field}`, source])
  return 'google' in credential ? [[`${place}.google`, credential.google]] : [[place, credential]]
}
