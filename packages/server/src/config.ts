import { settings } from './settings.ts'
import { nearest } from './values/nearest.ts'
import type { Setting } from './values/setting.ts'
import { Fault } from './values/setting-parsers.ts'

/** Reads the settings from the environment and reports every fault at once, so a wrong deployment is corrected in one round. */

type Settings = typeof settings
type Parsed = { readonly [K in keyof Settings]: ReturnType<Settings[K]['parse']> | FallbackOf<Settings[K]> }
type FallbackOf<S> = S extends { fallback?: (config: Record<string, unknown>) => infer F } ? F : never

export interface Config extends Omit<Parsed, 'publicUrl' | 'docsUrl'> {
  /** Without a configured address the port decides, which is known only once the server listens. */
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

const known: Map<string, Setting<unknown>> = new Map(
  Object.values(settings).map((s) => [s.variable, s as Setting<unknown>]),
)

/** Reads the environment, or throws with every fault at once; what deserves a warning is returned beside it. */
export function readConfig(environment: Record<string, string | undefined>): { config: Config; warnings: string[] } {
  const faults: string[] = []
  const warnings: string[] = []
  const parsed: Record<string, unknown> = {}

  for (const [name, s] of Object.entries(settings) as [string, Setting<unknown>][]) {
    const given = environment[s.variable]
    // An empty variable is how shells and compose files say "unset".
    if (given === undefined || given === '') {
      if (s.fallback) parsed[name] = s.fallback(parsed)
      else faults.push(`${s.variable} is required: ${s.describe}`)
      continue
    }
    if (s.replacedBy) warnings.push(`${s.variable} is deprecated; use ${s.replacedBy}.`)
    try {
      parsed[name] = s.parse(given)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      faults.push(`${s.variable} ${error.message}`)
    }
  }

  for (const variable of Object.keys(environment)) {
    if (!variable.startsWith('SVC_') || known.has(variable)) continue
    const guess = nearest(variable, [...known.keys()])
    warnings.push(`${variable} is not a setting of this program${guess ? `; did you mean ${guess}?` : '.'}`)
  }

  const [limit, takeover] = [parsed['handlerTimeoutSeconds'] as number, parsed['idempotencyTakeoverSeconds'] as number]
  if (takeover <= limit) {
    faults.push(
      `SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS (${takeover}) must be above SVC_HANDLER_TIMEOUT_SECONDS (${limit})`,
    )
  }

  const [attempt, stop] = [parsed['webhookTimeoutSeconds'] as number, parsed['stopTimeoutSeconds'] as number]
  if (stop <= attempt) {
    warnings.push(
      `SVC_STOP_TIMEOUT_SECONDS (${stop}) is not above SVC_WEBHOOK_TIMEOUT_SECONDS (${attempt}): a worker that stops may leave deliveries to be sent again.`,
    )
  }

  if (faults.length > 0) throw new ConfigurationError(faults)
  return { config: parsed as unknown as Config, warnings }
}

/** The master keys alone, for commands that run where there is no database. */
export function readMasterKeys(environment: Record<string, string | undefined>): Pick<Config, 'masterKeys'> {
  const { variable, parse, describe } = settings.masterKeys
  const given = environment[variable]
  if (!given) throw new ConfigurationError([`${variable} is required: ${describe}`])
  try {
    return { masterKeys: parse(given) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new ConfigurationError([`${variable} ${error.message}`])
  }
}

/** The variables a reader may set, for the documentation and for the release checks. */
export const documentedSettings = Object.values(settings as Record<string, Setting<unknown>>).map((s) => ({
  variable: s.variable,
  describe: s.describe,
  otherwise: s.otherwise,
  replacedBy: s.replacedBy,
}))
