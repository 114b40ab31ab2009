import { RE2JS } from 're2js'
import { Lru } from '../../values/lru.ts'
import { nearest } from '../../values/nearest.ts'
import { errorOf } from '../../values/thrown.ts'

/** The largest program of a pattern: the size bounds the cost per character. */
const maxProgramSize = 520
/** Names whose match is remembered: decisions name the same ones again and again. */
const maxRemembered = 2_000

const compile = (pattern: string) => RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)

/** Returns why a pattern cannot be used; undefined where it can. */
export function patternFault(pattern: string): string | undefined {
  try {
    const size = compile(pattern).programSize()
    return size > maxProgramSize ? `This compiles to ${size} steps; at most ${maxProgramSize} are allowed.` : undefined
  } catch (error) {
    return `This is not a regular expression: ${errorOf(error).message}.`
  }
}

/** The names of a dimension that an organization knows. */
export interface KnownNames {
  readonly has: (name: string) => boolean
  /** The known name that was probably meant. */
  readonly nearestTo: (name: string) => string | undefined
}

/** Creates the known names from values in normal form and a pattern. */
export function knownNames(values: readonly string[], pattern: string | null): KnownNames {
  const known = new Set(values)
  const compiled = pattern === null ? undefined : compile(pattern)
  const matches = new Lru<string, boolean>(maxRemembered)
  const fits = (name: string) => {
    if (!compiled) return false
    const earlier = matches.get(name)
    if (earlier !== undefined) return earlier
    const found = compiled.matches(name)
    matches.set(name, found)
    return found
  }
  return { has: (name) => known.has(name) || fits(name), nearestTo: (name) => nearest(name, values) }
}
