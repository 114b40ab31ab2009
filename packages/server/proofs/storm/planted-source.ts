import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A rule that is taken out of the source of the program, and what stands there instead. */
export interface SourcePlant {
  /** Of `src`. */
  readonly file: string
  readonly rule: string
  readonly instead: string
}

/** Loads the program without some of its rules. A plant that does not find its rule ends the process: it would prove nothing. */
export function plantInSource(plants: readonly SourcePlant[]) {
  const wanted = Map.groupBy(plants, ({ file }) => fileURLToPath(new URL(`../../src/${file}`, import.meta.url)))
  if (wanted.size === 0) return
  registerHooks({
    load: (url, context, nextLoad) => {
      const planted = url.startsWith('file:') ? wanted.get(fileURLToPath(url)) : undefined
      if (!planted) return nextLoad(url, context)
      const source = planted.reduce(withoutRule, readFileSync(fileURLToPath(url), 'utf8'))
      return { format: 'module-typescript', source, shortCircuit: true }
    },
  })
}

function withoutRule(source: string, { file, rule, instead }: SourcePlant): string {
  if (!source.includes(rule)) throw new Error(`${file} no longer says: ${rule}`)
  return source.replace(rule, instead)
}
