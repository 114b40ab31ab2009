import { type Cell, checkRegionSettings } from './region-settings.ts'
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

const settingByName: Readonly<Record<string, Setting<unknown>>> = settings

/** True when every setting has been read. */
const isComplete = (parsed: Partial<Config>): parsed is Config => Object.keys(settings).every((name) => name in parsed)

const knownVariables = new Set(
  Object.values(settingByName).flatMap(({ variable, isSecret }) =>
    isSecret ? [variable, fileVariable(variable)] : [variable],
  ),
)

/** Reads the environment, or throws with every fault at once; warnings are returned beside the configuration. */
export function readConfig(environment: Record<string, string | undefined>): { config: Config; warnings: string[] } {
  const faults: string[] = []
  const warnings: string[] = []
  const parsed: Partial<Config> = {}
  const set = (name: string, value: unknown) => Object.assign(parsed, { [name]: value })

  for (const [name, s] of Object.entries(settingByName)) {
    try {
      const given = readSettingText(s, environment)
      if (given === undefined) {
        if (s.fallback) set(name, s.fallback({ ...parsed }))
        else faults.push(`${s.variable} is required: ${s.describe}`)
        continue
      }
      if (s.replacedBy) warnings.push(`${s.variable} is deprecated; use ${s.replacedBy}.`)
      set(name, s.parse(given))
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

  const { idempotencyTakeoverSeconds: takeover = Number.NaN, handlerTimeoutSeconds: handlerLimit = Number.NaN } = parsed
  // When unset, the handler timeout follows the takeover time, so that either can be set alone.
  const isUnset = environment[settings.handlerTimeoutSeconds.variable] === undefined
  const limit = isUnset ? Math.min(handlerLimit, takeover * 0.9) : handlerLimit
  set('handlerTimeoutSeconds', limit)
  if (takeover <= limit) {
    faults.push(
      `SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS (${takeover}) must be greater than SVC_HANDLER_TIMEOUT_SECONDS (${limit})`,
    )
  }

  const { port, metricsPort, redisUrl, redisCa, redisCertificate, redisKey } = parsed
  if (metricsPort !== undefined && metricsPort !== 0 && metricsPort === port)
    faults.push(`SVC_METRICS_PORT (${metricsPort}) must differ from SVC_PORT`)

  const isTls = redisUrl?.reveal().startsWith('rediss:')
  if (isTls === false && [redisCa, redisCertificate, redisKey].some((file) => file !== undefined))
    faults.push(
      'SVC_REDIS_CA_FILE, SVC_REDIS_CERT_FILE and SVC_REDIS_KEY_FILE need an SVC_REDIS_URL that begins with rediss://',
    )
  if ((redisCertificate === undefined) !== (redisKey === undefined))
    faults.push('SVC_REDIS_CERT_FILE and SVC_REDIS_KEY_FILE must be set together')

  const regions = checkRegionSettings(parsed)
  faults.push(...regions.faults)
  warnings.push(...regions.warnings)

  const isMailFaulty = faults.some((fault) => fault.startsWith('SVC_SMTP_URL') || fault.startsWith('SVC_MAIL_FROM'))
  if (!isMailFaulty && (parsed.smtpUrl === undefined) !== (parsed.mailFrom === undefined))
    faults.push('SVC_SMTP_URL and SVC_MAIL_FROM must be set together')

  const { webhookTimeoutSeconds: attempt, stopTimeoutSeconds: stop, masterKeys: keys, publicUrl } = parsed
  if (attempt !== undefined && stop !== undefined && stop <= attempt) {
    warnings.push(
      `SVC_STOP_TIMEOUT_SECONDS (${stop}) is not greater than SVC_WEBHOOK_TIMEOUT_SECONDS (${attempt}): a stopping worker may cause deliveries to be sent twice.`,
    )
  }

  if (keys) {
    const { fault, warning } = checkMasterKeys(keys(), publicUrl === undefined || isLocalUrl(publicUrl))
    if (fault !== undefined) faults.push(`SVC_MASTER_KEYS ${fault}`)
    if (warning !== undefined) warnings.push(`SVC_MASTER_KEYS ${warning}`)
  }

  if (faults.length > 0 || !isComplete(parsed)) throw new ConfigurationError(faults)
  return { config: parsed, warnings }
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

/** Settings of one of several cells, as far as a proxy in front of it needs them. */
export interface CellSettings {
  readonly cell: string
  readonly region: string
  readonly cells: readonly Cell[]
}

/** Reads which cells there are, for commands that run without anything else. */
export function readCells(environment: Record<string, string | undefined>): CellSettings {
  const faults: string[] = []
  const read = <T>(setting: Setting<T>): T | undefined => {
    try {
      const given = readSettingText(setting, environment)
      if (given !== undefined) return setting.parse(given)
      faults.push(`${setting.variable} is required: ${setting.describe}`)
    } catch (error) {
      if (!(error instanceof SettingFault)) throw error
      faults.push(`${setting.variable} ${error.message}`)
    }
    return undefined
  }
  const [cell = '', region = '', cells = []] = [
    read(settings.cell),
    read(settings.region),
    read(settings.cells),
  ] as const
  if (cells.some(({ name }) => name === cell))
    faults.push(`SVC_CELLS lists ${cell}, which is this cell (SVC_CELL): list the other cells only`)
  if (faults.length > 0) throw new ConfigurationError(faults)
  return { cell, region, cells }
}

/** The variables that can be set, for the documentation and the release checks. */
export const documentedSettings = Object.values(settingByName).map((s) => ({
  variable: s.variable,
  describe: s.describe,
  otherwise: s.otherwise,
  replacedBy: s.replacedBy,
  isSecret: s.isSecret === true,
}))
