import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { api, dev, install, programs, runIn } from './client-programs.ts'

/**
 * `pnpm clients`: runs Claude Code and Codex through the gateway of a running `pnpm dev`, and sees that each works with two changed settings
 * and shows a refusal once. It installs them (about 760 MB) under `.weir/clients`, so it is no part of the gate.
 */

/** A key whose calls have a budget that admits none. */
async function refusedKey(name: string): Promise<string> {
  await api(`/scoped-budget?scope_kind=workflow&scope_id=${name}&period=month`, { name, limit_usd: '0.0001' }, 'PUT')
  const pins = { workflow_id: name }
  return String((await api('/keys', { name, role: 'service', scopes: ['runs:write'], pins }))['secret'])
}

/** The commands as the guide has them. */
const clients: Record<string, (key: string) => { command: string; parameters: string[]; env: Record<string, string> }> =
  {
    'Claude Code': (key) => ({
      command: programs.claude,
      parameters: ['-p', 'ping'],
      env: {
        ANTHROPIC_BASE_URL: dev.gateway_url,
        ANTHROPIC_AUTH_TOKEN: key,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    }),
    Codex: (key) => ({
      command: programs.codex,
      parameters: [
        'exec',
        '--skip-git-repo-check',
        '-m',
        'gpt-5',
        '-c',
        'model_provider=weir',
        '-c',
        `model_providers.weir={name='Weir',base_url='${dev.gateway_url}/v1',env_key='WEIR_KEY',wire_api='responses'}`,
        'ping',
      ],
      env: { WEIR_KEY: key },
    }),
  }

/** Runs a client in an empty home, and returns all that it printed. */
async function run(client: keyof typeof clients, key: string): Promise<string> {
  const { command, parameters, env } = clients[client]!(key)
  const home = mkdtempSync(join(tmpdir(), 'weir-client-'))
  try {
    return await runIn(home, command, parameters, env)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Counts the decisions that Weir has refused to a workflow, once no more are added: they are listed a moment after the answer. */
async function settledRefusals(workflowId: string): Promise<number> {
  let before = -1
  for (let count = 0; count !== before || count === 0; count = await refusalsOf(workflowId)) {
    before = count
    await pause(3_000)
  }
  return before
}

async function refusalsOf(workflowId: string): Promise<number> {
  const answer = await fetch(`${dev.base_url}/v1/orgs/${dev.org_id}/refusals?workflow_id=${workflowId}`, {
    headers: { authorization: `Bearer ${dev.admin_key}` },
  })
  const { data = [] } = (await answer.json()) as { data?: unknown[] }
  return data.length
}

install()
let faults = 0
for (const name of Object.keys(clients)) {
  const works = (await run(name, dev.admin_key)).includes('the quick brown fox')
  const workflow = `client-${Date.now()}`
  const shown = await run(name, await refusedKey(workflow))
  const isShown = /Weir: the workflow budget has \$0\.0001 of \$0\.0001 left/.test(shown)
  const refused = await settledRefusals(workflow)
  // One request, which may ask twice: by its bytes, and by the provider's own count.
  const isOnce = refused >= 1 && refused <= 2
  console.log(`${name}: works ${works}, shows the refusal ${isShown}, decisions for it ${refused}`)
  if (!works || !isShown || !isOnce) faults += 1
}
process.exitCode = faults === 0 ? 0 : 1
