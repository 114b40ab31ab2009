import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** A copy of the project as a clone of it would be, so that nobody's running services are touched. */
export function makeCheckout(): string {
  const checkout = mkdtempSync(join(tmpdir(), 'weir-checkout-'))
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
  for (const file of files.filter((name) => existsSync(join(root, name)))) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true })
    cpSync(join(root, file), join(checkout, file))
  }
  return checkout
}

/** Ends whatever runs there, and leaves nothing behind. */
export function removeCheckout(checkout: string) {
  spawnSync('pnpm', ['dev', '--stop'], { cwd: checkout })
  spawnSync('scripts/services', ['down', '--purge'], { cwd: checkout })
  rmSync(checkout, { recursive: true, force: true })
}
