import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { plants } from '../../proofs/storm/source-plants.ts'
import { defences } from '../../proofs/walk-round/defences.ts'

// A planted fault whose rule has been written anew is noticed here at once, and not only by the storm that next tries it.
const all = [
  ...Object.entries(plants),
  ...Object.entries(defences).map(([name, { plants: own }]) => [name, own ?? []] as const),
]

test.each(all.flatMap(([name, own]) => own.map((plant) => ({ name, ...plant }))))(
  'the rule that "$name" takes out of $file is there once',
  ({ file, rule }) => {
    const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')
    expect(source.split(rule)).toHaveLength(2)
  },
)
