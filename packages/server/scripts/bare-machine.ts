import { deepEqual, match } from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Follows the README's quickstart, as it stands, in a Debian that has nothing but what the README asks for: `node scripts/bare-machine.ts`. Needs root and
 * mmdebstrap. Nothing of this machine is in there but a clone of what is committed, and the authorities that this machine trusts.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'weir-bare-'))
const machine = join(folder, 'machine')
const run = (command: string, ...parameters: string[]) =>
  execFileSync(command, parameters, { stdio: ['ignore', 'ignore', 'inherit'] })
const step = <T>(name: string, work: () => T): T => {
  const started = Date.now()
  const result = work()
  console.log(`${name}: ${((Date.now() - started) / 1_000).toFixed(0)} s`)
  return result
}

try {
  step('a Debian with git and npm', () => {
    run('mmdebstrap', '--quiet', '--variant=apt', '--include=git,npm,ca-certificates,curl', 'bookworm', machine)
  })
  run('git', 'clone', '--quiet', '--no-hardlinks', root, join(machine, 'srv/weir'))
  const authorities = process.env['NODE_EXTRA_CA_CERTS']
  const trusted = '/etc/ssl/certs/ca-certificates.crt'
  if (authorities !== undefined) writeFileSync(join(machine, trusted), readFileSync(authorities))
  writeFileSync(join(machine, 'etc/resolv.conf'), readFileSync('/etc/resolv.conf'))

  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, section] = /^## Quickstart\n([\s\S]*?)^## /m.exec(readme)!
  const blocks = Array.from(section!.matchAll(/```bash\n([\s\S]*?)```/g), ([, block]) => block!)
  mkdirSync(join(machine, 'srv/paste'))
  writeFileSync(join(machine, 'srv/paste/commands'), [...blocks, 'scripts/run pnpm dev --stop'].join('\n'))
  // Its processes end with it, and it mounts nothing that this machine sees.
  const { stdout, stderr } = step('the quickstart', () =>
    spawnSync(
      'unshare',
      [
        ...`--mount --pid --ipc --uts --fork --kill-child --root=${machine} --mount-proc`.split(' '),
        ...'/usr/bin/env --ignore-environment HOME=/srv PATH=/usr/sbin:/usr/bin:/sbin:/bin WEIR_PORT=0 LANG=C.UTF-8'.split(
          ' ',
        ),
        ...(authorities === undefined ? [] : [`NODE_EXTRA_CA_CERTS=${trusted}`]),
        'bash',
        '-c',
        'cd /srv/weir && bash /srv/paste/commands',
      ],
      { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    ),
  )
  const answers = Array.from(stdout.matchAll(/^(\{.*\})? \((\d{3})\)$/gm), ([, body, status]) => ({
    body: body ?? '',
    status: Number(status),
  }))
  if (answers.length === 0) throw new Error(`nothing was answered: ${stderr.slice(-4_000)}${stdout.slice(-4_000)}`)
  deepEqual(
    answers.map(({ status }) => status),
    [201, 200, 200, 402, 200],
  )
  match(answers[3]!.body, /"code":"budget_exceeded"/)
  console.log(
    `the third call was refused: ${(JSON.parse(answers[3]!.body) as { error: { message: string } }).error.message}`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
