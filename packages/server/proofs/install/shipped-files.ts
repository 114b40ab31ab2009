import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** The committed files that .dockerignore lets through: the image and the archive are made of them. */
export function shippedFiles(): string[] {
  const listed = readFileSync(`${root}.dockerignore`, 'utf8').split('\n')
  const paths = listed.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const committed = execFileSync('git', ['ls-tree', '-r', '--name-only', 'HEAD', '--', ...paths], {
    cwd: root,
    encoding: 'utf8',
  })
  return committed
    .trim()
    .split('\n')
    .filter((path) => !path.endsWith('.test.ts'))
}
