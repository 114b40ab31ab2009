import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isRecord, recordIn } from '../../values/records.ts'

/** Modules of the code editor that `rule-editor.js` imports; they import the rest. */
const entries = [
  '@codemirror/autocomplete',
  '@codemirror/commands',
  '@codemirror/language',
  '@codemirror/lint',
  '@codemirror/state',
  '@codemirror/view',
  '@lezer/highlight',
]

/** An import or export of another module, up to the name of the module. */
const importPattern = /^((?:import|export)\b[^;'"]*?\bfrom\s*)(['"])([^'"]+)\2/gm

/** A package as it is installed: where it is, and its ES module. */
interface InstalledPackage {
  readonly name: string
  readonly path: string
}

/** Returns the ES module that a declaration of exports names. */
function moduleIn(exported: unknown): string | undefined {
  if (typeof exported === 'string') return exported
  if (!isRecord(exported)) return undefined
  return moduleIn(exported['.'] ?? exported['import'] ?? exported['default'])
}

/** Finds a package as one of its users would: packages of packages are not installed beside ours. */
function findPackage(name: string, user: string): InstalledPackage {
  const resolved = createRequire(user).resolve(name)
  for (let folder = dirname(resolved); folder !== dirname(folder); folder = dirname(folder)) {
    const declared = declarationIn(folder)
    if (declared['name'] === name)
      return { name, path: join(folder, moduleIn(declared['exports']) ?? String(declared['module'])) }
  }
  throw new Error(`${name} has no package.json above ${resolved}`)
}

function declarationIn(folder: string): Readonly<Record<string, unknown>> {
  try {
    return recordIn(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
  } catch {
    return {}
  }
}

/** Returns the file name under which a package is served: `@codemirror/view` is `codemirror-view.js`. */
const fileName = (name: string) => `${name.replace('@', '').replaceAll('/', '-')}.js`

/**
 * Reads the code editor: each package is one ES module, served as it was published, but for the names of the modules that it imports,
 * which become files beside it. So there is no build, and what runs is what the lockfile pins.
 */
export function readEditorModules(): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const waiting = entries.map((name) => findPackage(name, import.meta.url))
  for (let found = waiting.pop(); found !== undefined; found = waiting.pop()) {
    const { name, path } = found
    if (texts.has(fileName(name))) continue
    const text = readFileSync(path, 'utf8').replaceAll(
      importPattern,
      (_, head: string, quote: string, from: string) => {
        waiting.push(findPackage(from, path))
        return `${head}${quote}./${fileName(from)}${quote}`
      },
    )
    texts.set(fileName(name), text)
  }
  return texts
}
