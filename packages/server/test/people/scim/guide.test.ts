import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { useServer } from '../../support/harness.ts'
import { operatorOf, tenantOf } from '../../support/tenants.ts'

const server = useServer()

test('the guide, pasted block by block, makes an admin of a group and shuts them out', async () => {
  const tenant = await tenantOf(server, (await operatorOf(server)).key)
  const guide = readFileSync(new URL('../../../../../docs/scim.md', import.meta.url), 'utf8')
  const blocks = Array.from(guide.matchAll(/```bash\n([\s\S]*?)```/g), ([, block = '']) => block)
  expect(blocks).toHaveLength(4)
  const shell = spawn('bash', ['-c', `set -e\n${blocks.join('\n')}`], {
    env: { ...process.env, WEIR: server.url, ORG: tenant.id, OWNER_KEY: tenant.key },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')])
  const answers = output.split(/(?<=\})(?=\{)/).map((answer) => JSON.parse(answer) as Record<string, unknown>)
  expect(answers, errors).toMatchObject([
    { patch: { supported: true } },
    { totalResults: 0 },
    { rules: [{ role: 'owner' }, { role: 'admin' }, { role: 'member' }] },
    { displayName: 'Weir admins', members: [{ display: 'ada@acme.example' }] },
    { role: 'admin', status: 'active', name: 'Ada Lovelace' },
    { active: false },
    { role: 'admin', status: 'deactivated' },
  ])
})
