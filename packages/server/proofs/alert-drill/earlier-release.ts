import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dayMs } from '../../src/values/time.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const server = 'packages/server'
const ageDays = 200

/** Copies this checkout as a release of long ago would be: of another version, with the prices of that day. Returns its main program. */
export function copyEarlierRelease(folder: string): string {
  const copy = join(folder, 'earlier-release')
  const program = join(copy, server, 'src/main.ts')
  if (existsSync(program)) return program
  mkdirSync(join(copy, server), { recursive: true })
  const link = (from: string, except: readonly string[]) => {
    for (const name of readdirSync(join(root, from)))
      if (!except.includes(name)) symlinkSync(join(root, from, name), join(copy, from, name))
  }
  link('.', ['packages', '.git'])
  link('packages', ['server'])
  link(server, ['src', 'package.json'])
  cpSync(join(root, server, 'src'), join(copy, server, 'src'), { recursive: true })
  rewrite(join(root, server, 'package.json'), join(copy, server, 'package.json'), { version: '0.0.1' })
  const catalog = 'src/money/prices/catalog.json'
  const taken = new Date(Date.now() - ageDays * dayMs).toISOString().slice(0, 10)
  rewrite(join(root, server, catalog), join(copy, server, catalog), { taken })
  return program
}

function rewrite(from: string, to: string, changes: object) {
  writeFileSync(to, JSON.stringify({ ...(JSON.parse(readFileSync(from, 'utf8')) as object), ...changes }))
}
