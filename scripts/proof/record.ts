import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus, loadavg, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

/** Results of proofs and measurements, as they are kept in `docs/proof` and shown by `docs/proof.md`. */

const root = fileURLToPath(new URL('../..', import.meta.url))
export const recordsFolder = `${root}docs/proof`

export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memory_gib: number
  readonly system: string
  readonly node: string
  /** Programs that waited for a processor when it began, on average of a minute. */
  readonly load: number
}

export interface ProofRecord {
  readonly name: string
  /** What was typed. */
  readonly command: string
  readonly at: string
  readonly seconds: number
  /** The commit that was checked out, with "+" where files differed from it. */
  readonly commit: string
  readonly machine: Machine
  /** How many things were tried, and what one of them is. */
  readonly tried: number
  readonly of: string
  /** How many of them broke a promise. */
  readonly broken: number
  readonly figures: Readonly<Record<string, number | string>>
}

export type Finding = Pick<ProofRecord, 'tried' | 'of' | 'broken' | 'figures'>

/** The option of every command that can keep its result, for `parseArgs`. */
export const recordOption = { record: { type: 'boolean', default: false } } as const

/** Says what a record has beside its findings; begun before the work, so that load and time are those of the work. */
export function beginRecord(name: string): () => Omit<ProofRecord, keyof Finding> {
  const beganMs = performance.now()
  const at = `${new Date().toISOString().slice(0, 16)}Z`
  const machine = machineNow()
  return () => ({
    name,
    command: typedCommand(process.argv.slice(1)),
    at,
    seconds: Math.round((performance.now() - beganMs) / 1_000),
    commit: commitNow(),
    machine,
  })
}

/** Begins the record of a proof; call the result with what was found. Nothing is kept unless `isKept`. */
export function beginProof(name: string, isKept: boolean): (finding: Finding) => void {
  const frame = beginRecord(name)
  return (finding) => {
    if (!isKept) return
    const path = `${recordsFolder}/${name}.json`
    const earlier = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as ProofRecord[]) : []
    writeRecords(name, [...earlier, { ...frame(), ...finding }])
  }
}

/** Replaces what is kept under a name. */
export function writeRecords(name: string, content: unknown) {
  mkdirSync(recordsFolder, { recursive: true })
  writeFileSync(`${recordsFolder}/${name}.json`, `${JSON.stringify(content, undefined, 2)}\n`)
}

/** The scripts of package.json by the file that they run, so that a record names the command that somebody would type. */
function typedCommand([program = '', ...given]: readonly string[]): string {
  const path = program.replace(root, '')
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> }
  const script = Object.entries(scripts).find(([, command]) => command === `node ${path}`)?.[0]
  const words = given
    .filter((word) => word !== '--record')
    .map((word) => (/^[\w./=:-]+$/.test(word) ? word : `'${word}'`))
  return [script === undefined ? `node ${path}` : `pnpm ${script}`, ...words].join(' ')
}

function machineNow(): Machine {
  const [processor] = cpus()
  return {
    processor: processor?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    system: `Linux ${release()} ${arch()}`,
    node: process.versions.node,
    load: Number(loadavg()[0]!.toFixed(1)),
  }
}

function commitNow(): string {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()
  const isChanged = git('status', '--porcelain', '--', ':!docs/proof', ':!docs/proof.md', ':!docs/images') !== ''
  return `${git('rev-parse', '--short=10', 'HEAD')}${isChanged ? '+' : ''}`
}
