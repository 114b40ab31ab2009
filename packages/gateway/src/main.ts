import { ConfigurationError, readConfigFile } from './config.ts'
import { reloadConfig } from './config-reload.ts'
import { startGateway } from './gateway.ts'
import { createLog } from './infra/log.ts'

const exitConfiguration = 78

const log = createLog(process.env['WEIR_GATEWAY_LOG_LEVEL'] ?? 'info')

/** Runs a gateway until it is told to stop. */
async function main() {
  const path = process.env['WEIR_GATEWAY_CONFIG']
  if (path === undefined || path === '')
    throw new ConfigurationError(['WEIR_GATEWAY_CONFIG must name the configuration file'])
  const config = readConfigFile(path, process.env)
  const gateway = await startGateway({ config, env: process.env, log })
  log.info({ url: gateway.url, metrics: gateway.metricsUrl }, 'the gateway listens')
  let isStopping = false
  const stop = () => {
    if (isStopping) return
    isStopping = true
    log.info('stopping: streams in progress may end')
    gateway.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ error }, 'the gateway did not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGHUP', () => reloadConfig(gateway, path, process.env))
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

main().catch((error: unknown) => {
  if (error instanceof ConfigurationError) {
    process.stderr.write(`${error.message}\n`)
    process.exit(exitConfiguration)
  }
  log.fatal({ error }, 'the gateway cannot start')
  process.exit(1)
})
