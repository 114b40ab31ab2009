import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { startPracticeProvider } from '../src/practice/provider.ts'
import { api, dev, install, programs, root, runIn } from './client-programs.ts'

/**
 * `pnpm assistants`: runs Claude Code and Codex against a practice provider, with the settings of the guide and no gateway, and
 * counts what they report to a running `pnpm dev` against the provider's books; sends all of it again; then runs Claude Code
 * through the gateway while it reports. Every token must be counted once.
 */

const guide = readFileSync(join(root, 'docs/coding-assistants.md'), 'utf8')
const snippet = (kind: string) => new RegExp(`\`\`\`${kind}\n([\\s\\S]+?)\`\`\``).exec(guide)![1]!

interface Sent {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: Buffer
}

/** Passes telemetry on to Weir, and keeps it. */
async function startRecorder() {
  const sent: Sent[] = []
  const refused: number[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const { 'content-type': type = '', 'content-encoding': encoding, authorization = '' } = request.headers
      const headers = { 'content-type': type, authorization, ...(encoding && { 'content-encoding': encoding }) }
      const one = { path: request.url ?? '', headers, body: await buffer(request) }
      sent.push(one)
      const answer = await send(one)
      if (answer.status !== 200) refused.push(answer.status)
      response.writeHead(answer.status, { 'content-type': type }).end(Buffer.from(await answer.arrayBuffer()))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    refused,
    stop: () => server.close(),
  }
}

const send = ({ path, headers, body }: Sent) =>
  fetch(dev.base_url + path, { method: 'POST', headers, body: new Uint8Array(body) })

interface Run {
  readonly key_id: string
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly status: string
}

async function runsOf(keyId: string) {
  const answer = await fetch(`${dev.base_url}/v1/runs?key_id=${keyId}&limit=100`, {
    headers: { authorization: `Bearer ${dev.admin_key}` },
  })
  const runs = ((await answer.json()) as { data: Run[] }).data.filter(({ status }) => status !== 'running')
  return {
    requests: runs.length,
    input: runs.reduce((sum, { input_tokens }) => sum + (input_tokens ?? 0), 0),
    output: runs.reduce((sum, { output_tokens }) => sum + (output_tokens ?? 0), 0),
  }
}

const keyWith = async (name: string, scopes: string[]) =>
  (await api('/keys', { name, role: 'service', scopes })) as { id: string; secret: string }

const isSame = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b)
let faults = 0
function check(what: string, found: object, expected: object) {
  const sorted = (one: object) => Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const holds = isSame(sorted(found), sorted(expected))
  console.log(`${holds ? 'ok' : 'WRONG'}: ${what}: ${JSON.stringify(found)}, the books say ${JSON.stringify(expected)}`)
  if (!holds) faults += 1
}

install()
const provider = await startPracticeProvider()
const recorder = await startRecorder()
const telemetry = await keyWith(`assistants ${Date.now()}`, ['runs:import'])
const home = mkdtempSync(join(tmpdir(), 'weir-assistant-'))
const own = (text: string) =>
  text.replaceAll('https://weir.example.com', recorder.url).replaceAll('weir_KEY', telemetry.secret)
mkdirSync(join(home, '.claude'))
mkdirSync(join(home, '.codex'))
writeFileSync(join(home, '.claude/settings.json'), own(snippet('json')))
writeFileSync(
  join(home, '.codex/config.toml'),
  `model = "gpt-5"\nmodel_provider = "practice"\n[model_providers.practice]\nname = "practice"\nbase_url = "${provider.url}/v1"\nenv_key = "PRACTICE_KEY"\nwire_api = "responses"\n${own(snippet('toml'))}`,
)
const claude = (parameters: string[], env: Record<string, string>) =>
  runIn(home, programs.claude, parameters, { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ...env })
try {
  const direct = { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_AUTH_TOKEN: 'practice' }
  await claude(['-p', 'ping'], direct)
  await claude(['-c', '-p', 'again'], direct)
  await runIn(home, programs.codex, ['exec', '--skip-git-repo-check', 'ping'], { PRACTICE_KEY: 'practice' })
  const books = provider.books.totals()
  check('what the assistants reported', await runsOf(telemetry.id), books)
  for (const one of recorder.sent.toReversed()) await send(one)
  check('the same, sent again in reverse', await runsOf(telemetry.id), books)

  const agent = await keyWith(`agent ${Date.now()}`, ['runs:write'])
  await claude(['-p', 'ping'], { ANTHROPIC_BASE_URL: dev.gateway_url, ANTHROPIC_AUTH_TOKEN: agent.secret })
  // Longer than a report waits for a run that is still open.
  await pause(40_000)
  check('reports of calls that the gateway held', await runsOf(telemetry.id), books)
  check('calls that the gateway held', { requests: (await runsOf(agent.id)).requests }, { requests: 1 })
  check('reports that Weir refused', { refused: recorder.refused.length }, { refused: 0 })
} finally {
  rmSync(home, { recursive: true, force: true })
  recorder.stop()
  await provider.stop()
}
process.exitCode = faults === 0 ? 0 : 1
