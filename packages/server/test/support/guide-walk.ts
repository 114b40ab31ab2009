import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GuideBlock } from './guide-blocks.ts'
import { call } from './tenants.ts'

/** An installation that `pnpm dev` runs, and what a reader of its operator's guides would have. */
export interface WalkedInstallation {
  readonly checkout: string
  readonly url: string
  readonly gatewayUrl: string
  readonly operatorKey: string
  readonly environment: Readonly<Record<string, string>>
}

/** Makes a folder with a `curl` that says on standard error what each request was answered with. */
export function makeTellingCurl(folder: string): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'curl')
  writeFileSync(path, `#!/bin/sh\nexec /usr/bin/curl "$@" -w '%{stderr}\\n@answer %{http_code} %{method} %{url}\\n'\n`)
  chmodSync(path, 0o755)
  return folder
}

/**
 * Pastes the commands of one document into a shell, in an organization of their own. Returns what went wrong: a command that failed, a
 * variable that the document does not set, a request that was refused without a word in the document, or a refusal that did not come.
 */
export async function walk(
  installation: WalkedInstallation,
  blocks: readonly GuideBlock[],
  given: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const { url, operatorKey, checkout } = installation
  const page = blocks[0]!.page
  const { json } = await call(url, 'POST', '/v1/admin/orgs', { key: operatorKey, body: { name: page } })
  const { id, owner_key } = json as unknown as { id: string; owner_key: { secret: string } }
  const agent = await call(url, 'POST', `/v1/orgs/${id}/keys`, {
    key: owner_key.secret,
    body: { name: 'agent', role: 'service', scopes: ['runs:write'] },
  })
  const env = {
    ...installation.environment,
    PATH: `${join(checkout, '.weir/walk')}:${process.env['PATH']}`,
    HOME: process.env['HOME'] ?? '/',
    WEIR: url,
    GATEWAY: installation.gatewayUrl,
    OPERATOR_KEY: operatorKey,
    ORG: id,
    KEY: owner_key.secret,
    OWNER_KEY: owner_key.secret,
    AGENT_KEY: String(agent.json['secret']),
    ...given,
  }
  const program = blocks.map(({ line, code }) => `echo '@block ${line}' >&2\n${code}`).join('\n')
  const { failed, errors } = await new Promise<{ failed: boolean; errors: string }>((resolve) => {
    execFile('bash', ['-euo', 'pipefail', '-c', program], { env, cwd: checkout }, (error, _output, stderr) =>
      resolve({ failed: error !== null, errors: stderr }),
    )
  })
  return faultsIn(blocks, failed, errors)
}

function faultsIn(blocks: readonly GuideBlock[], failed: boolean, errors: string): string[] {
  const parts = errors.split(/^@block /m).slice(1)
  const faults = parts.flatMap((part) => {
    const line = Number.parseInt(part, 10)
    const { page, refused } = blocks.find((block) => block.line === line)!
    const answers = [...part.matchAll(/^@answer (\d+) (.*)$/gm)].map(([, status, request]) => ({
      status: Number(status),
      request,
    }))
    const odd = answers.filter(({ status }) => status !== refused && (status < 200 || status > 299))
    return [
      ...odd.map(({ status, request }) => `${page}:${line}: ${status} to ${request}`),
      ...(refused !== undefined && !answers.some(({ status }) => status === refused)
        ? [`${page}:${line}: nothing was refused with ${refused}`]
        : []),
    ]
  })
  const last = parts.at(-1) ?? ''
  const said = last.replaceAll(/^@answer.*$/gm, '').trim()
  return failed ? [...faults, `${blocks[0]!.page}:${Number.parseInt(last, 10)}: failed: ${said}`] : faults
}
