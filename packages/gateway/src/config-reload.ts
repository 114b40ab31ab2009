import { ConfigurationError, readConfigFile } from './config.ts'
import type { Gateway } from './gateway.ts'

/** Reads the configuration file again and serves the next calls by it. A file with faults changes nothing, and all of them are logged. */
export function reloadConfig(gateway: Gateway, path: string, env: NodeJS.ProcessEnv, isInside = false) {
  const { log, metrics } = gateway.parts
  try {
    gateway.reload(readConfigFile(path, env, isInside))
    metrics.reloads.inc({ outcome: 'taken' })
    log.info({ path }, 'the configuration was read again')
  } catch (error) {
    metrics.reloads.inc({ outcome: 'faulty' })
    const faults = error instanceof ConfigurationError ? error.faults : [String(error)]
    log.error({ path, faults }, 'the new configuration has faults: the old one stays')
  }
}
