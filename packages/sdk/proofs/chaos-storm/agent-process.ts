import { parseArgs } from 'node:util'
import { Random } from '../../../server/test/support/random.ts'
import { FileSpool } from '../../src/node.ts'
import { Weir, WeirError } from '../../src/sdk.ts'
import { type AgentSettings, bounds } from './agent-settings.ts'

class ForgetfulSpool extends FileSpool {
  override list() {
    return Promise.resolve([])
  }
}

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

/** Makes calls with the SDK as it is, and says what became of each. */
async function work(settings: AgentSettings) {
  const { weirUrl, apiKey, providerUrl, folder, maxEntries, leaseSeconds } = settings
  const random = new Random(settings.seed)
  const weir = new Weir({
    baseUrl: weirUrl,
    apiKey,
    timeoutMs: 1_500,
    maxRetries: 5,
    settleWaitMs: 500,
    spool: new (settings.bug === 'forgetful' ? ForgetfulSpool : FileSpool)(folder, { maxEntries }),
    onNotice: (notice) => {
      if (notice.type === 'settlement_lost')
        say({ lost: notice.request.path, code: notice.error instanceof WeirError ? notice.error.code : 'none' })
      else say({ notice: notice.type })
    },
  })
  let left = settings.calls
  const agent = async () => {
    while (left > 0) {
      left -= 1
      const script = scriptOf(random, leaseSeconds)
      let id = ''
      try {
        await weir.run(
          {
            model: 'gpt-4o',
            input_tokens: bounds.input,
            max_output_tokens: bounds.output,
            lease_seconds: leaseSeconds,
          },
          async (run) => {
            id = run.external_id
            const answer = await ask(providerUrl, id, script, run.signal)
            if (settings.bug === 'gullible') run.release()
            return answer
          },
        )
        say({ answered: id })
      } catch (error) {
        const code = error instanceof WeirError ? error.code : 'provider'
        say(id === '' ? { denied: code } : { failed: id, code })
      }
    }
  }
  await Promise.all(Array.from({ length: settings.atOnce }, agent))
  say({ message: 'done', isEmpty: await weir.close({ timeoutMs: 90_000 }) })
}

function scriptOf(random: Random, leaseSeconds: number): object {
  const kind = random.next()
  if (kind < 0.03) return { status: 429 }
  if (kind < 0.05) return { status: 500 }
  if (kind < 0.07) return { breakAfter: 0 }
  // Longer than a lease: it has to be extended.
  if (kind < 0.075) return { firstMs: leaseSeconds * 1_500, output: 5 }
  return { firstMs: random.int(60), output: random.between(1, bounds.output) }
}

async function ask(url: string, id: string, script: object, signal: AbortSignal): Promise<unknown> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-practice': JSON.stringify(script) },
    body: JSON.stringify({
      model: 'gpt-4o',
      max_tokens: bounds.output,
      user: id,
      messages: [{ role: 'user', content: 'Tell me about weirs.' }],
    }),
    signal,
  })
  const body: unknown = await answer.json()
  if (!answer.ok) throw Object.assign(new Error(`the provider answered ${answer.status}`), { status: answer.status })
  return body
}

const { values } = parseArgs({ options: { settings: { type: 'string' } } })
if (values.settings !== undefined) await work(JSON.parse(values.settings) as AgentSettings)
