import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** The gateway of `pnpm dev`, in front of a provider for practice: nothing leaves the machine, and nothing costs anything. */
export interface DevGateway {
  readonly url: string
  readonly parts: readonly ChildProcess[]
}

interface DevGatewayOptions {
  readonly root: string
  readonly configFile: string
  readonly weirUrl: string
  readonly settlementKey: string
  readonly port: number
  readonly log: number
}

/** Starts the practice provider, then a gateway that leads to it, each as a process of its own. */
export async function startDevGateway(options: DevGatewayOptions): Promise<DevGateway> {
  const provider = startPart(options, 'practice/main.ts', {})
  const providerUrl = await urlIn(provider)
  writeFileSync(options.configFile, JSON.stringify(configOf(options, providerUrl), undefined, 2), { mode: 0o600 })
  const gateway = startPart(options, 'main.ts', {
    WEIR_GATEWAY_CONFIG: options.configFile,
    WEIR_SETTLEMENT_KEY: options.settlementKey,
  })
  await urlIn(gateway)
  return { url: `http://localhost:${options.port}`, parts: [provider, gateway] }
}

const configOf = ({ weirUrl, port }: DevGatewayOptions, providerUrl: string) => {
  const provider = { base_url: providerUrl, credential: { none: true } }
  return {
    listen: { port, host: '127.0.0.1' },
    weir: { url: weirUrl, settlement_key: { env: 'WEIR_SETTLEMENT_KEY' }, timeout_seconds: 20 },
    providers: {
      openai: { kind: 'openai', ...provider },
      anthropic: { kind: 'anthropic', ...provider },
      gemini: { kind: 'gemini', ...provider },
    },
    models: [
      { name: 'gpt-4o', provider: 'openai' },
      { name: 'claude-sonnet-4-5', provider: 'anthropic' },
      { name: 'gemini-2.5-flash', provider: 'gemini' },
      { prefix: 'claude-', provider: 'anthropic' },
      { prefix: 'gemini-', provider: 'gemini' },
      { prefix: '', provider: 'openai' },
    ],
  }
}

function startPart(
  { root, log }: DevGatewayOptions,
  program: string,
  environment: Record<string, string>,
): ChildProcess {
  return spawn(process.execPath, [`${root}packages/gateway/src/${program}`], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', log],
    detached: true,
  })
}

/** Waits for the line in which a part says where it is. */
function urlIn(part: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    part.once('exit', (code) => reject(new Error(`a part of the gateway ended with ${code}`)))
    createInterface({ input: part.stdout! }).on('line', (line) => {
      const { url } = JSON.parse(line) as { url?: string }
      if (url !== undefined) resolve(url)
    })
  })
}
