import { ConfigurationError, readConfigFile } from './config.ts'
import { reloadConfig } from './config-reload.ts'
import { startGateway } from './gateway.ts'
import { createLog } from './infra/log.ts'
import type { Transport } from './weir/transport.ts'

export type { Transport, WeirAnswer, WeirRequest } from './weir/transport.ts'

/** A gateway that runs inside another program. */
export interface EmbeddedGateway {
  readonly url: string
  /** Reads the configuration file again; one with faults changes nothing. */
  reload(): void
  /** Takes no new calls, lets those in progress end, and settles them: the way to Weir must be open until then. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** The path of the configuration file. */
  readonly path: string
  readonly env: NodeJS.ProcessEnv
  readonly logLevel: string
  /** The way to Weir. */
  readonly transport: Transport
}

/** Starts a gateway inside the program that serves Weir's API; returns the faults of its configuration where it has some. */
export async function startEmbeddedGateway({
  path,
  env,
  logLevel,
  transport,
}: EmbeddedOptions): Promise<EmbeddedGateway | { readonly faults: readonly string[] }> {
  try {
    const config = readConfigFile(path, env, true)
    const gateway = await startGateway({ config, env, log: createLog(logLevel), transport })
    return { url: gateway.url, reload: () => reloadConfig(gateway, path, env, true), stop: () => gateway.stop() }
  } catch (error) {
    if (error instanceof ConfigurationError) return { faults: error.faults }
    throw error
  }
}
