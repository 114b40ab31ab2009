import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { guides } from '../../src/tenants/docs/pages.ts'

/** The shape of the code, held by a test so that nobody has to remember it. */

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((path) => existsSync(join(root, path)))
const architecture = read('ARCHITECTURE.md')
const isGenerated = (path: string) => /\/(infra\/tables|api-types)\.ts$/.test(path)

/** The source of a program, and its rooms in import order, as a list in ARCHITECTURE.md states it: a room imports from those above it only. */
function houseAt(source: string, list: number) {
  const sources = tracked.filter(
    (path) => path.startsWith(`${source}/`) && path.endsWith('.ts') && !path.endsWith('.test.ts'),
  )
  const lists = [...architecture.matchAll(/```imports\n([\s\S]*?)```/g)].map(([, text]) => text!)
  const layers = lists[list]!.trim()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) =>
      line
        .split(/\s+—\s+/)[0]!
        .trim()
        .split(/\s+/),
    )
  const rooms = new Set(layers.flat())
  /** Returns the innermost listed folder that a file stands in, or the listed file itself. */
  const roomOf = (path: string) => {
    const parts = relative(source, path).split('/')
    const enclosing = parts.map((_, i) => parts.slice(0, parts.length - i).join('/'))
    return enclosing.find((name) => rooms.has(name)) ?? parts[0]!
  }
  const known = new Map<string, number>()
  const layerOf = (path: string) => {
    const layer = known.get(path) ?? layers.findIndex((names) => names.includes(roomOf(path)))
    known.set(path, layer)
    return layer
  }
  return { source, sources, layers, rooms, roomOf, layerOf }
}

const server = houseAt('packages/server/src', 0)
const gateway = houseAt('packages/gateway/src', 1)
const houses = [server, gateway]
const { source, sources, layers, rooms, roomOf } = server
/** The groups of rooms, in the order in which they are listed. */
const groups = [...new Set([...rooms].map((room) => room.split('/')[0]!))]

const importsOf = (path: string) =>
  [...read(path).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target]) =>
    normalize(join(dirname(path), target!)),
  )

describe('imports', () => {
  test.each(houses)('every file in $source stands in a room that ARCHITECTURE.md names', ({ sources, layerOf }) => {
    expect(sources.filter((path) => layerOf(path) < 0)).toEqual([])
  })

  test('every file that ARCHITECTURE.md names by its path exists', () => {
    const named = [...architecture.matchAll(/`([a-z][\w-]*\/[\w/.-]+\.ts)`/g)].map(([, path]) => path!)
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((path) => !tracked.some((file) => `/${file}`.endsWith(`/${path}`)))).toEqual([])
  })

  test.each(houses)('in $source point one way', ({ source, sources, roomOf, layerOf }) => {
    const faults = sources.flatMap((path) =>
      importsOf(path)
        .filter((target) => target.startsWith(source))
        .filter((target) => roomOf(target) !== roomOf(path) && layerOf(target) >= layerOf(path))
        .map((target) => `${path} imports ${target}`),
    )
    expect(faults).toEqual([])
  })

  test('point one way between groups too', () => {
    const groupOf = (path: string) => groups.indexOf(relative(source, path).split('/')[0]!)
    const faults = sources.flatMap((path) =>
      importsOf(path)
        .filter((target) => target.startsWith(source) && groupOf(target) > groupOf(path))
        .map((target) => `${path} imports ${target}`),
    )
    expect(faults).toEqual([])
  })

  test('go in no circle, inside a room and in tests, benchmarks and scripts, types included', () => {
    const files = tracked.filter((path) => /^(packages|scripts)\/.*\.ts$/.test(path))
    const state = new Map<string, 'open' | 'done'>()
    const circles: string[] = []
    const visit = (path: string, way: readonly string[]) => {
      if (state.get(path) === 'done') return
      if (state.get(path) === 'open') {
        circles.push([...way.slice(way.indexOf(path)), path].join(' → '))
        return
      }
      state.set(path, 'open')
      if (files.includes(path)) for (const target of importsOf(path)) visit(target, [...way, path])
      state.set(path, 'done')
    }
    for (const path of files) visit(path, [])
    expect(circles).toEqual([])
  })

  test('of what stands beside the product point one way, and nobody imports a test', () => {
    const mayImport: Readonly<Record<string, readonly string[]>> = {
      src: ['src'],
      'test/support': ['src', 'test/support', 'scripts'],
      proofs: ['src', 'proofs', 'test/support', 'scripts'],
      bench: ['src', 'bench', 'test/support', 'scripts'],
      scripts: ['src', 'scripts', 'test/support', 'proofs'],
    }
    const houseOf = (path: string) =>
      path.endsWith('.test.ts')
        ? 'tests'
        : Object.keys(mayImport).find((house) => path.startsWith(`packages/server/${house}/`))
    const files = tracked.filter((path) => /^packages\/server\/.*\.ts$/.test(path))
    expect(files.filter((path) => houseOf(path) === undefined)).toEqual([])
    const faults = files.flatMap((path) => {
      const allowed = mayImport[houseOf(path)!] ?? Object.keys(mayImport)
      return importsOf(path)
        .filter((target) => !allowed.includes(houseOf(target) ?? 'src'))
        .map((target) => `${path} imports ${target}`)
    })
    expect(faults).toEqual([])
  })

  test('of the gateway lead to nothing of the server: it speaks to Weir over the wire', () => {
    const faults = gateway.sources.flatMap((path) =>
      importsOf(path).filter((target) => !target.startsWith(`${gateway.source}/`)),
    )
    expect(faults).toEqual([])
    // And the server enters the gateway by its door alone, where it is loaded only if a setting asks for it.
    const entered = sources
      .filter((path) => read(path).includes("'@weir/gateway"))
      .map((path) => relative(source, path))
    expect(entered).toEqual(['embedded-gateway.ts'])
  })

  test('of the command line lead to nothing else: people install it without the server', () => {
    const files = tracked.filter((path) => /^packages\/cli\/src\/.*\.ts$/.test(path))
    expect(files.length).toBeGreaterThan(20)
    const faults = files.flatMap((path) =>
      importsOf(path).filter((target) => !/^packages\/cli\/(src\/|package\.json$)/.test(target)),
    )
    expect(faults).toEqual([])
  })

  test('of the console reach data through the API alone', () => {
    const faults = sources
      .filter((path) => path.startsWith(`${source}/console/`))
      .flatMap((path) =>
        importsOf(path)
          .filter((target) => target.startsWith(source) && !target.startsWith(`${source}/console/`))
          .filter(
            (target) =>
              !/^(values|contract|access\/identity|people\/(?:sign-in|pages)|platform\/infra\/platform)\b/.test(
                relative(source, target),
              ),
          )
          .map((target) => `${path} imports ${target}`),
      )
    expect(faults).toEqual([])
  })

  test('reach another domain only through the file that bears its name, or its routes from app.ts', () => {
    const afterContract = layers.slice(layers.findIndex((rooms) => rooms.includes('contract')) + 1)
    const domains = new Set(afterContract.flat().filter((room) => !room.endsWith('.ts')))
    const faults = sources.flatMap((path) =>
      importsOf(path)
        .filter((target) => domains.has(roomOf(target)) && roomOf(target) !== roomOf(path))
        .filter((target) => {
          const file = relative(join(source, roomOf(target)), target)
          const isComposition = relative(source, path).split('/').length === 1 || roomOf(path) === 'commands'
          return !(
            file === `${roomOf(target).split('/').at(-1)}.ts` ||
            (isComposition && (file === 'routes.ts' || file === 'registry.ts' || roomOf(target) === 'commands'))
          )
        })
        .map((target) => `${path} imports ${target}`),
    )
    expect(faults).toEqual([])
  })
})

describe.each(houses)('files in $source', ({ source, sources, roomOf }) => {
  const matching = (pattern: RegExp, except: (path: string) => boolean) =>
    sources.filter((path) => !except(path) && pattern.test(read(path)))
  const isInfra = (path: string) => roomOf(path) === 'platform/infra'

  test('SQL stands in queries.ts, or in infra', () => {
    expect(
      matching(
        /\braw`|\bsql`|\.query\(|\.selectFrom\(|\.insertInto\(|\.updateTable\(|\.deleteFrom\(/,
        (path) => isInfra(path) || /[/-]queries\.ts$/.test(path),
      ),
    ).toEqual([])
  })

  test('the clock is injected', () => {
    expect(matching(/\bDate\.now\(\)|new Date\(\)/, (path) => /\/(infra\/clock|values\/id)\.ts$/.test(path))).toEqual(
      [],
    )
  })

  test('the environment is read once', () => {
    expect(matching(/process\.env/, (path) => path === `${source}/main.ts`)).toEqual([])
  })

  test('have names that say something', () => {
    expect(sources.filter((path) => /\/(index|utils?|helpers?|common|types|misc|shared)(\.ts|\/)/.test(path))).toEqual(
      [],
    )
  })

  test('give no two exported types one name', () => {
    const homes = new Map<string, string[]>()
    for (const path of sources.filter((name) => !isGenerated(name)))
      for (const [, name] of read(path).matchAll(
        /^export (?:type|interface|class|enum|abstract class) (\w+)\b(?! *[,}])/gm,
      ))
        homes.set(name!, [...new Set([...(homes.get(name!) ?? []), path])])
    expect([...homes].filter(([, paths]) => paths.length > 1)).toEqual([])
  })

  test('have files named by nouns', () => {
    const nouns =
      /\/(routing|forwarding|org-routing|signing|load-shedding|tracing|keyring|setting|mapping|reporting)\.ts$/
    expect(sources.filter((path) => path.endsWith('ing.ts') && !nouns.test(path))).toEqual([])
  })

  test('have doc comments that begin with a noun or a verb', () => {
    const vague = /\/\*\*\s*(?:\*\s*)?(What|Who|Whom|Whose|Where|Whether|How|When|Which|Why|That)\b/
    expect(sources.filter((path) => vague.test(read(path)))).toEqual([])
  })

  test('are short enough to read', () => {
    const long = sources.filter((path) => !isGenerated(path) && read(path).split('\n').length > 300)
    expect(long).toEqual([])
  })
})

describe('migrations', () => {
  const folder = 'packages/server/migrations'
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith('.sql'))

  test('are numbered without a gap and wait for locks only briefly', () => {
    expect(files.map((name) => Number(name.slice(0, 4)))).toEqual(files.map((_, i) => i + 1))
    for (const name of files) {
      expect(name).toMatch(/^\d{4}_[a-z0-9_]+\.sql$/)
      // Whoever waits for a lock makes everybody wait who comes after. Some landed before that was a rule.
      const briefly = name < '0070' ? /^set local lock_timeout = '\d+s';/m : /^set local lock_timeout = '200ms';/m
      expect(read(`${folder}/${name}`), name).toMatch(briefly)
    }
  })

  test('do not change once landed', () => {
    const landed = read(`${folder}.sha256`).trim().split('\n')
    const now = files.map(
      (name) =>
        `${createHash('sha256')
          .update(read(`${folder}/${name}`))
          .digest('hex')}  ${name}`,
    )
    expect(now).toEqual(landed)
  })
})

describe('the project stands by itself', () => {
  test('nothing refers to a machine, a registry or a folder beside it', () => {
    // Classes of one letter, so that this file does not match itself.
    const foreign = /\/wor[k]\/|\.\.\/share[d]|registry\.npmj[s]|\/roo[t]\/|deb\.debia[n]/
    const texts = tracked.filter((path) => !/\.(png|svg)$/.test(path))
    expect(texts.filter((path) => foreign.test(read(path)))).toEqual([])
  })

  test('every dependency is pinned, and named in ARCHITECTURE.md with its reason', () => {
    for (const path of tracked.filter((name) => name.endsWith('package.json'))) {
      const manifest = JSON.parse(read(path)) as Record<string, Record<string, string>>
      const dependencies = { ...manifest['dependencies'], ...manifest['devDependencies'] }
      for (const [name, version] of Object.entries(dependencies))
        expect(version, name).toMatch(name.startsWith('@weir/') ? /^workspace:\*$/ : /^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+/)
      const unnamed = Object.keys(dependencies).filter(
        (name) => !name.startsWith('@types/') && !architecture.includes(`\`${name}\``),
      )
      expect(unnamed, path).toEqual([])
    }
  })

  test('every guide is served, and every link between documents leads somewhere', () => {
    const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
    expect(pages.sort()).toEqual(guides.map(({ file }) => file).sort())
    const broken: string[] = []
    for (const path of tracked.filter((name) => name.endsWith('.md'))) {
      for (const [, target] of read(path).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
        if (/^(https?:|\/)/.test(target!)) continue
        if (!existsSync(join(root, dirname(path), target!))) broken.push(`${path}: ${target}`)
      }
    }
    expect(broken).toEqual([])
  })
})
