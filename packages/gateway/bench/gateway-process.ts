import { StubWeir } from '../proofs/support/stub-weir.ts'
import { checkConfig } from '../src/config.ts'
import { startGateway } from '../src/gateway.ts'
import { createLog } from '../src/infra/log.ts'
import { benchConfig } from './bench-config.ts'

/** The gateway as a process of its own: with a Weir at an address, or with none, where every call is admitted at once. */
const [provider, weirUrl] = process.argv.slice(2)
const stub = new StubWeir()
const gateway = await startGateway({
  config: checkConfig(
    {
      ...benchConfig(provider!, { port: 0, weirUrl: weirUrl ?? 'http://127.0.0.1:1' }),
      // Texts for the detectors are a part of admission.
      safety: { send: weirUrl === undefined ? 'off' : 'newest' },
    },
    process.env,
  ),
  env: process.env,
  log: createLog('error'),
  ...(weirUrl === undefined && { transport: stub.send }),
})
process.send?.({ port: Number(new URL(gateway.url).port) })
process.on('message', () => {
  globalThis.gc?.()
  stub.settled.clear()
  process.send?.({ rss: process.memoryUsage().rss })
})
process.on('disconnect', () => process.exit(0))
