import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { beginProof, recordOption } from '../../../scripts/proof/record.ts'
import { defences } from '../proofs/walk-round/defences.ts'
import { search } from '../proofs/walk-round/search.ts'
import { patient, type Settings, strict } from '../proofs/walk-round/settings.ts'
import { createSearchDatabase, openSite } from '../proofs/walk-round/site.ts'
import { servicesUp } from './private-services.ts'

/**
 * A search for ways round the limits of a key: `node scripts/walk-round.ts --sequences 1000 --seed 1` walks random sequences of a
 * hostile caller with every defence on, and ends with 1 where one of them is billed more than is booked; then switches off one
 * defence after another, and ends with 1 where the search does not notice. `--without "the key is pinned"` does that with one
 * defence only, and `--strict` with none.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: process.env['WEIR_SEED'] ?? '1' },
    sequences: { type: 'string', default: '200' },
    length: { type: 'string', default: '14' },
    shrinks: { type: 'string', default: '40' },
    strict: { type: 'boolean', default: false },
    without: { type: 'string' },
    database: { type: 'string' },
    ...recordOption,
  },
})

const options = {
  seed: Number(values.seed),
  sequences: Number(values.sequences),
  length: Number(values.length),
  shrinks: Number(values.shrinks),
}

/** Searches in a process of its own, whose source lacks the defence. */
async function searchWithout(defence: string, database: string) {
  const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = spawn(
    process.execPath,
    [
      '--import',
      pathOf('../proofs/walk-round/source-plants.ts'),
      pathOf('walk-round.ts'),
      ...given,
      '--without',
      defence,
      '--database',
      database,
    ],
    { env: { ...process.env, WEIR_WITHOUT_DEFENCE: defence }, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0
}

/** Searches with one defence off, or with all on, and prints what was found. */
async function searchHere(
  database: string,
  settings: Settings,
  { without, raises = false }: { without?: string; raises?: boolean },
): Promise<boolean> {
  const site = await openSite(database)
  try {
    const { sequences, answers, found } = await search(site, { ...options, settings, raises })
    const line = { without: without ?? 'nothing', raises, sequences, seed: options.seed, ...(found && { found }) }
    console.log(JSON.stringify(without === undefined ? { ...line, answers } : line))
    return (found === undefined) === (without === undefined)
  } finally {
    await site.close()
  }
}

servicesUp()
const finish = beginProof('walk-round', values.record && values.without === undefined)
const made = values.database === undefined ? await createSearchDatabase() : undefined
const database = values.database ?? made?.name ?? ''
try {
  const results: boolean[] = []
  if (values.without === undefined)
    for (const settings of [strict, patient])
      for (const raises of [false, true]) results.push(await searchHere(database, settings, { raises }))
  const gotRound = results.filter((isHeld) => !isHeld).length
  const wanted = values.strict ? [] : values.without === undefined ? Object.keys(defences) : [values.without]
  for (const defence of wanted) {
    if (defences[defence] === undefined) throw new Error(`there is no such defence: ${defence}`)
    const { off, plants, raises = false } = defences[defence]
    const isPlanted = plants !== undefined && made !== undefined
    results.push(
      await (isPlanted
        ? searchWithout(defence, database)
        : searchHere(database, off ?? strict, { without: defence, raises })),
    )
  }
  finish({
    tried: (results.length - wanted.length) * options.sequences,
    of: 'sequences of a hostile caller against a provider that bills',
    broken: gotRound,
    figures: {
      seed: options.seed,
      'defences switched off, one at a time': wanted.length,
      'of these found by the search': results.slice(results.length - wanted.length).filter(Boolean).length,
    },
  })
  if (results.includes(false)) process.exitCode = 1
} finally {
  await made?.drop()
}
