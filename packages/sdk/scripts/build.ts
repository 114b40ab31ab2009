import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Builds the package as it is published: `dist`, with compiled sources, declarations and a `package.json` of its own, for `npm pack` and `npm
 * publish`. Another folder may be given.
 */
const own = fileURLToPath(new URL('..', import.meta.url))
const root = join(own, '../..')
const out = process.argv[2] ?? join(own, 'dist')

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const compiler = join(root, 'node_modules/.bin/tsc')
execFileSync(compiler, ['-p', join(own, 'tsconfig.build.json'), '--outDir', out], { stdio: 'inherit' })

interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}
const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as Manifest
const kept = Object.entries(manifest).filter(([field]) => !['devDependencies', 'private', 'exports'].includes(field))
const built = Object.entries(manifest.exports).map(([entry, source]) => {
  const file = source.replace('./src/', './').replace(/\.ts$/, '')
  return [entry, { types: `${file}.d.ts`, default: `${file}.js` }]
})
writeFileSync(
  join(out, 'package.json'),
  `${JSON.stringify({ ...Object.fromEntries(kept), exports: Object.fromEntries(built) }, null, 2)}\n`,
)
copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
copyFileSync(join(root, 'docs/sdk-typescript.md'), join(out, 'README.md'))
