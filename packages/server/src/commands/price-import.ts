import { createReadStream } from 'node:fs'
import { text as textOf } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import {
  formats,
  type ImportPlan,
  isTooLong,
  type PriceFormat,
  planImport,
  readPriceFile,
  UnreadableFile,
} from '../money/price-imports/price-imports.ts'
import { systemClock } from '../platform/infra/clock.ts'
import { CommandRefused } from '../platform/infra/command-refused.ts'
import { errorOf } from '../values/thrown.ts'
import { type InstallationState, readInstallation, writeInstallation } from './installation-client.ts'
import { jsonReport, textReport, tooLongText } from './price-import-report.ts'

const maxFileBytes = 32 * 1_024 * 1_024

const list = { type: 'string', multiple: true, default: [] as string[] } as const
const flag = { type: 'boolean', default: false } as const

/** Reads the arguments of `prices import`; undefined where they cannot be understood. */
export function readImportArguments(args: string[], environment: Readonly<Record<string, string | undefined>>) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        format: { type: 'string' },
        only: list,
        provider: list,
        url: { type: 'string' },
        'operator-key': { type: 'string', default: environment['WEIR_OPERATOR_KEY'] ?? '' },
        apply: flag,
        replace: flag,
        'with-free': flag,
        'skip-refused': flag,
        json: flag,
      },
    })
    const [path, ...more] = positionals
    const format = formats.find((each) => each === values.format)
    const isUnderstood = path !== undefined && more.length === 0 && (values.format === undefined || format)
    return isUnderstood ? { ...values, path, format } : undefined
  } catch {
    return undefined
  }
}
type Arguments = NonNullable<ReturnType<typeof readImportArguments>>

/** Compares a file of prices with those in effect, prints what it would change, and changes it with `--apply`. */
export async function importPrices(given: Arguments) {
  if (given.apply && given.url === undefined)
    throw new CommandRefused('--apply needs --url, the address of the server whose prices are to be set.')
  const plan = await planOf(given)
  const isRefused = plan.refused.length > 0 && !given['skip-refused']
  const isApplied = given.apply && !isRefused && !isTooLong(plan) && plan.changed.length > 0
  const head = { path: given.path, url: given.url, isApplied }
  const print = () => console.log(given.json ? jsonReport(plan, head) : textReport(plan, head))
  // What is said to be applied has been.
  if (isApplied) await writeInstallation(plan.standing, plan.entries)
  print()
  if (isTooLong(plan)) throw new CommandRefused(tooLongText(plan))
  if (isRefused)
    throw new CommandRefused('Some models have invalid prices. Choose others, or leave them out with --skip-refused.')
}

async function planOf(given: Arguments): Promise<ImportPlan & { readonly standing: InstallationState }> {
  const file = readFormat(await readBounded(given.path), given.format)
  const standing = await readInstallation(given.url, given['operator-key'])
  const choice = { only: given.only, providers: given.provider, withFree: given['with-free'] }
  const options = { replaces: given.replace, nowMs: systemClock.now().getTime() }
  return { ...planImport(file, choice, standing.prices, options), standing }
}

function readFormat(text: string, format: PriceFormat | undefined) {
  try {
    return readPriceFile(text, format)
  } catch (error) {
    throw error instanceof UnreadableFile ? new CommandRefused(error.message, { cause: error }) : error
  }
}

/** Reads a file, and no more of it than a list of prices can have. */
async function readBounded(path: string): Promise<string> {
  let text: string
  try {
    text = await textOf(createReadStream(path, { end: maxFileBytes }))
  } catch (error) {
    throw new CommandRefused(`${path} cannot be read: ${errorOf(error).message}`, { cause: error })
  }
  if (Buffer.byteLength(text) > maxFileBytes) throw new CommandRefused(`${path} has more than 32 MiB.`)
  return text
}
