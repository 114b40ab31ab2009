import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** Claude Code and Codex, installed (about 760 MB) under `.weir/clients`, and the `pnpm dev` that they are tried against. */

export const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = join(root, '.weir/clients')
const packages = { '@anthropic-ai/claude-code': '2.1.326', '@openai/codex': '0.169.0' }

interface Dev {
  readonly base_url: string
  readonly gateway_url: string
  readonly org_id: string
  readonly admin_key: string
}

const stateFile = join(root, '.weir/dev.json')
if (!existsSync(stateFile)) throw new Error('start `pnpm dev --detach` first')
export const dev = JSON.parse(readFileSync(stateFile, 'utf8')) as Dev

export const programs = {
  claude: join(folder, 'node_modules/@anthropic-ai/claude-code-linux-x64/claude'),
  codex: join(folder, 'node_modules/.bin/codex'),
}

export function install() {
  mkdirSync(folder, { recursive: true })
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`)
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, ...wanted], { stdio: 'ignore' })
}

/** Calls the API of the organization as its owner. */
export async function api(path: string, body: object, method = 'POST') {
  const answer = await fetch(`${dev.base_url}/v1/orgs/${dev.org_id}${path}`, {
    method,
    headers: { authorization: `Bearer ${dev.admin_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Record<string, unknown>
}

/** Runs a program with a home of its own and nothing else in its environment; returns all that it printed. */
export async function runIn(
  home: string,
  command: string,
  parameters: readonly string[],
  env: Record<string, string>,
): Promise<string> {
  const child = spawn(command, parameters, {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return out + err
}
