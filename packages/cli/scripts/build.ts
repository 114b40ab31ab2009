import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** Builds what is published: one file without dependencies, and the licences of what it has in it. */
const root = fileURLToPath(new URL('..', import.meta.url))
const dist = `${root}dist`

rmSync(dist, { recursive: true, force: true })
const bundle = await rolldown({ input: `${root}src/main.ts`, platform: 'node', logLevel: 'warn' })
const { output } = await bundle.write({ file: `${dist}/weir.js`, format: 'esm', minify: false, codeSplitting: false })
await bundle.close()
chmodSync(`${dist}/weir.js`, 0o755)

/** Folders of the packages that modules of the bundle come from. */
const folders = new Set(
  output
    .flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []))
    .flatMap((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []),
)
/** Packages that name their licence, MIT, and leave its text out. */
const withoutText = new Set(['pg-types', 'pgpass'])

const notices = [...folders].toSorted().map((folder) => {
  const { name, version, license, author } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Record<
    string,
    string
  >
  const file = ['LICENSE', 'LICENSE.md', 'license', 'LICENSE.txt'].map((one) => `${folder}/${one}`).find(existsSync)
  if (file === undefined && !(withoutText.has(name ?? '') && license === 'MIT'))
    throw new Error(`${name} has no text of its licence`)
  const text =
    file === undefined ? `By ${author ?? name}. The package has no copy of its licence.` : readFileSync(file, 'utf8')
  return `${name} ${version} (${license})\n\n${text.trim()}\n`
})
writeFileSync(`${dist}/THIRD-PARTY-NOTICES.txt`, notices.join(`\n${'-'.repeat(80)}\n\n`))
cpSync(`${root}../../LICENSE`, `${dist}/LICENSE`)
cpSync(`${root}src/configuration/weir.schema.json`, `${dist}/weir.schema.json`)
