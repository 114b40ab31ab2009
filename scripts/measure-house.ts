import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/**
 * Prints figures of how the server's code reads: `pnpm measure:house`. They are found by patterns over formatted source, so they
 * are close rather than exact, and comparable from commit to commit. `--at REVISION` measures another commit.
 */

const source = 'packages/server/src'
const revision = process.argv.includes('--at') ? process.argv[process.argv.indexOf('--at') + 1]! : undefined

const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8', maxBuffer: 1 << 28 })
const listed = revision === undefined ? git('ls-files') : git('ls-tree', '-r', '--name-only', revision)
const read = (path: string) =>
  revision === undefined ? readFileSync(path, 'utf8') : git('show', `${revision}:${path}`)

const files = listed
  .trim()
  .split('\n')
  .filter((path) => path.startsWith(`${source}/`) && path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .filter((path) => !path.endsWith('infra/tables.ts'))
const texts = new Map(files.map((path) => [path, read(path)]))

const withoutText = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/gm, "''")
const count = (pattern: RegExp, strip = true) =>
  [...texts.values()].reduce((sum, text) => sum + [...(strip ? withoutText(text) : text).matchAll(pattern)].length, 0)

/** Functions and methods by their lines, from the one that opens a block to the one that closes it at the same depth. */
function longFunctions(limit: number): string[] {
  const long: string[] = []
  for (const [path, text] of texts) {
    const lines = text.split('\n')
    for (const [start, line] of lines.entries()) {
      const head =
        /^( *)(?:export )?(?:async )?(?:function\*? (\w+)|(?:private |protected )?(?:async )?(\w+)\(.*\{$|const (\w+) = .*=> \{$)/.exec(
          line,
        )
      const name = head?.[2] ?? head?.[3] ?? head?.[4]
      if (!head || name === undefined || /^(if|for|while|switch|catch)$/.test(name)) continue
      const end = lines.findIndex((other, i) => i > start && other.startsWith(`${head[1]}}`))
      const body = lines.slice(start, end).join('\n')
      const isRouteList = (body.match(/operationId|replaceable\(/g) ?? []).length > 1
      if (end - start > limit && !isRouteList) long.push(`${path}: ${name}, ${end - start} lines`)
    }
  }
  return long
}

function circles(): number {
  const importsOf = (path: string) =>
    [...(texts.get(path) ?? '').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target]) =>
      normalize(join(dirname(path), target!)),
    )
  const state = new Map<string, 'open' | 'done'>()
  let found = 0
  const visit = (path: string) => {
    if (state.get(path) === 'done') return
    if (state.get(path) === 'open') {
      found += 1
      return
    }
    state.set(path, 'open')
    for (const target of importsOf(path)) visit(target)
    state.set(path, 'done')
  }
  for (const path of files) visit(path)
  return found
}

function namesWithTwoMeanings(): string[] {
  const homes = new Map<string, Set<string>>()
  for (const [path, text] of texts)
    for (const [, name] of text.matchAll(/^export (?:type|interface|class) (\w+)\b/gm))
      homes.set(name!, (homes.get(name!) ?? new Set()).add(path))
  return [...homes].filter(([, paths]) => paths.size > 1).map(([name]) => name)
}

const nouns = /\/(routing|org-routing|signing|load-shedding|tracing|keyring|setting|mapping)\.ts$/
const tops = new Set(files.map((path) => path.slice(source.length + 1).split('/')[0]!))
const long = longFunctions(80)
const doubled = namesWithTwoMeanings()
const openapi = revision === undefined ? statSync('openapi.json').size : git('show', `${revision}:openapi.json`).length

const figures: Record<string, number> = {
  'source files': files.length,
  'folders and files at the top': tops.size,
  'circles of imports': circles(),
  'non-null assertions (!)': count(/[\w)\]]!(?=[.,;)\]\s[(}])(?!=)/g),
  'casts (as)': count(/ as (?!const\b)/g) - count(/^(?:import|export)\b.* as /gm, false),
  'functions over 80 lines that list no routes': long.length,
  'exported type names with two meanings': doubled.length,
  'doc comments that begin with What, Who, Where, Whether, How, …': count(
    /\/\*\*\s*(?:\*\s*)?(?:What|Who|Whom|Whose|Where|Whether|How|When|Which|Why|That)\b/g,
    false,
  ),
  'files named by participles': files.filter((path) => path.endsWith('ing.ts') && !nouns.test(path)).length,
  'bytes of openapi.json': openapi,
}
for (const [name, figure] of Object.entries(figures)) console.log(`${String(figure).padStart(9)}  ${name}`)
for (const line of [...long, ...doubled.map((name) => `two meanings: ${name}`)]) console.log(`           ${line}`)
