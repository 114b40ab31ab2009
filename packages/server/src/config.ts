import { settings } from './settings.ts'
import { nearest } from './values/nearest.ts'
import { checkMasterKeys, isLocalUrl } from './values/published-keys.ts'
import type { Setting } from './values/setting.ts'
import { SettingFault } from './values/setting-parsers.ts'
import { fileVariable, readSettingText } from './values/setting-source.ts'

/** Configuration, read from the environment. All faults are reported at once, so that a deployment is fixed in one round. */

type Settings = typeof settings
type Parsed = { readonly [K in keyof Settings]: ReturnType<Settings[K]['parse']> | FallbackOf<Settings[K]> }
type FallbackOf<S> = S extends { fallback?: (config: Record<string, unknown>) => infer F } ? F : never

export interface Config extends Omit<Parsed, 'publicUrl' | 'docsUrl'> {
  /** The URL under which callers reach the API; without one it follows from the port, known once the server listens. */
  readonly publicUrl: string | undefined
  readonly docsUrl: string | undefined
}

export class ConfigurationError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length} fault${faults.length === 1 ? '' : 's'}:\n${faults.map((f) => `  ${f}`).join('\n')}`,
    )
    this.name = 'ConfigurationError'
    this.faults = faults
  }
}

const knownVariables = new Set(
  (Object.values(settings) as Setting<unknown>[]).flatMap(({ variable, isSecret }) =>
    isSecret ? [variable, fileVariable(variable)] : [variable],
  ),
)

/** Reads the environment, or throws with every fault at once; warnings are returned beside the configuration. */
export function readConfig(environment: Record<string, string | undefined>): { config: Config; warnings: string[] } {
  const faults: string[] = []
  const warnings: string[] = []
  const parsed: Record<string, unknown> = {}

  for (const [name, s] of Object.entries(settings) as [string, Setting<unknown>][]) {
    try {
      const given = readSettingText(s, environment)
      if (given === undefined) {
        if (s.fallback) parsed[name] = s.fallback(parsed)
        else faults.push(`${s.variable} is required: ${s.describe}`)
        continue
      }
      if (s.replacedBy) warnings.push(`${s.variable} is deprecated; use ${s.replacedBy}.`)
      parsed[name] = s.parse(given)
    } catch (error) {
      if (!(error instanceof SettingFault)) throw error
      faults.push(`${s.variable} ${error.message}`)
    }
  }

  for (const variable of Object.keys(environment)) {
    if (!variable.startsWith('SVC_') || knownVariables.has(variable)) continue
    const guess = nearest(variable, [...knownVariables])
    warnings.push(`${variable} is not a known setting${guess ? `; did you mean ${guess}?` : '.'}`)
  }

  const takeover = parsed['idempotencyTakeoverSeconds'] as number
  // When unset, the handler timeout follows the takeover time, so that either can be set alone.
  if (environment[settings.handlerTimeoutSeconds.variable] === undefined)
    parsed['handlerTimeoutSeconds'] = Math.min(parsed['handlerTimeoutSeconds'] as number, takeover * 0.9)
  const limit = parsed['handlerTimeoutSeconds'] as number
  if (takeover <= limit) {
    faults.push(
      `SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS (${takeover}) must be greater than SVC_HANDLER_TIMEOUT_SECONDS (${limit})`,
    )
  }

  const [port, metricsPort] = [parsed['port'] as number, parsed['metricsPort'] as number | undefined]
  if (metricsPort !== undefined && metricsPort !== 0 && metricsPort === port)
    faults.push(`SVC_METRICS_PORT (${metricsPort}) must differ from SVC_PORT`)

  const { redisUrl, redisCa, redisCertificate, redisKey } = parsed as Partial<Config>
  const isTls = redisUrl?.reveal().startsWith('rediss:')
  if (isTls === false && [redisCa, redisCertificate, redisKey].some((file) => file !== undefined))
    faults.push(
      'SVC_REDIS_CA_FILE, SVC_REDIS_CERT_FILE and SVC_REDIS_KEY_FILE need an SVC_REDIS_URL that begins with rediss://',
    )
  if ((redisCertificate === undefined) !== (redisKey === undefined))
    faults.push('SVC_REDIS_CERT_FILE and SVC_REDIS_KEY_FILE must be set together')

  const [attempt, stop] = [parsed['webhookTimeoutSeconds'] as number, parsed['stopTimeoutSeconds'] as number]
  if (stop <= attempt) {
    warnings.push(
      `SVC_STOP_TIMEOUT_SECONDS (${stop}) is not greater than SVC_WEBHOOK_TIMEOUT_SECONDS (${attempt}): a stopping worker may cause deliveries to be sent twice.`,
    )
  }

  const keys = parsed['masterKeys'] as Config['masterKeys'] | undefined
  const publicUrl = parsed['publicUrl'] as string | undefined
  if (keys) {
    const { fault, warning } = checkMasterKeys(keys(), publicUrl === undefined || isLocalUrl(publicUrl))
    if (fault !== undefined) faults.push(`SVC_MASTER_KEYS ${fault}`)
    if (warning !== undefined) warnings.push(`SVC_MASTER_KEYS ${warning}`)
  }

  if (faults.length > 0) throw new ConfigurationError(faults)
  return { config: parsed as unknown as Config, warnings }
}

/** Reads only the master keys, for commands that run without a database. */
export function readMasterKeys(environment: Record<string, string | undefined>): Pick<Config, 'masterKeys'> {
  const { variable, parse, describe } = settings.masterKeys
  try {
    const given = readSettingText(settings.masterKeys, environment)
    if (given === undefined) throw new SettingFault(`is required: ${describe}`)
    return { masterKeys: parse(given) }
  } catch (error) {
    if (!(error instanceof SettingFault)) throw error
    throw new ConfigurationError([`${variable} ${error.message}`])
  }
}

/** The variables that can be set, for the documentation and the release checks. */
export const documentedSettings = Object.values(settings as Record<string, Setting<unknown>>).map((s) => ({
  variable: s.variable,
  describe: s.describe,
  otherwise: s.otherwise,
  replacedBy: s.replacedBy,
  isSecret: s.isSecret === true,
}))
