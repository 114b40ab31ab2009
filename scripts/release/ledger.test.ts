import { expect, test } from 'vitest'
import { type LedgerEntry, sequenceFaults, shapeFaults, versionFaults } from './ledger.ts'

const entry = (
  version: string,
  { date = '2027-01-01', deprecated = [] as string[], removed = [] as string[] } = {},
): LedgerEntry => ({
  version,
  date,
  configuration: {
    deprecated: deprecated.map((variable) => ({ variable, announced: '2026-07-22', replacement: 'another' })),
    removed,
  },
  operator_actions: deprecated.map((variable) => `Stop using ${variable}.`),
})

test.each<[string, LedgerEntry[]]>([
  [
    'a variable may go two releases after its announcement',
    [entry('0.1.0', { deprecated: ['OLD'] }), entry('0.2.0'), entry('0.3.0', { removed: ['OLD'] })],
  ],
  [
    'a variable may go later than that',
    [entry('0.1.0', { deprecated: ['OLD'] }), entry('0.2.0'), entry('0.3.0'), entry('0.4.0', { removed: ['OLD'] })],
  ],
  ['a variable may be deprecated and stay', [entry('0.1.0', { deprecated: ['OLD'] }), entry('0.2.0')]],
  ['versions are ordered as numbers', [entry('0.9.0'), entry('0.10.0')]],
  ['two releases may share a day', [entry('0.1.0'), entry('0.1.1')]],
])('%s', (_, ledger) => {
  expect(sequenceFaults(ledger)).toEqual([])
})

test.each<[string, LedgerEntry[], string]>([
  [
    'a variable may not go one release after its announcement',
    [entry('0.1.0', { deprecated: ['OLD'] }), entry('0.2.0', { removed: ['OLD'] })],
    '0.2.0 removes OLD 1 release(s) after 0.1.0',
  ],
  [
    'a variable may not go with its announcement',
    [entry('0.1.0', { deprecated: ['OLD'], removed: ['OLD'] })],
    '0.1.0 removes OLD 0 release(s) after',
  ],
  [
    'a variable may not go unannounced',
    [entry('0.1.0'), entry('0.2.0'), entry('0.3.0', { removed: ['OLD'] })],
    'never deprecated before',
  ],
  [
    'a variable may not be announced after it went',
    [entry('0.1.0', { removed: ['OLD'] }), entry('0.2.0', { deprecated: ['OLD'] })],
    'never deprecated before',
  ],
  [
    'a variable is announced once',
    [entry('0.1.0', { deprecated: ['OLD'] }), entry('0.2.0', { deprecated: ['OLD'] })],
    'was deprecated before',
  ],
  [
    'a variable is not deprecated without telling operators what to do',
    [{ ...entry('0.1.0', { deprecated: ['OLD'] }), operator_actions: ['Run migrate.'] }],
    '0.1.0: no operator action says what to do about OLD',
  ],
  ['versions never go down', [entry('0.2.0'), entry('0.1.0')], '0.1.0 does not come after 0.2.0'],
  ['versions never repeat', [entry('0.1.0'), entry('0.1.0')], 'does not come after'],
  ['dates never go back', [entry('0.1.0'), entry('0.2.0', { date: '2026-12-31' })], 'is before the release of 0.1.0'],
  ['a version is three numbers', [entry('0.1')], 'is no version'],
  ['a release has a day', [entry('0.1.0', { date: '2027-02-29' })], 'is no date'],
  [
    'an announcement is not younger than its release',
    [entry('0.1.0', { date: '2026-07-21', deprecated: ['OLD'] })],
    'announced after the release',
  ],
])('%s', (_, ledger, fault) => {
  expect(sequenceFaults(ledger)).toEqual([expect.stringContaining(fault)])
})

test('the newest release of the ledger is the version that is written everywhere', () => {
  const ledger = [entry('0.1.0'), entry('0.2.0')]
  const written = (version: string) => [
    { path: 'here', version: '0.2.0' },
    { path: 'there', version },
  ]
  expect(versionFaults(ledger, written('0.2.0'))).toEqual([])
  expect(versionFaults(ledger, written('0.1.0'))).toEqual([expect.stringContaining('there is of 0.1.0')])
  expect(versionFaults(ledger, written('0.3.0'))).toHaveLength(1)
  expect(versionFaults(ledger, [])).toHaveLength(1)
})

test.each<[string, unknown]>([
  ['no list', {}],
  ['an empty list', []],
  ['no entry', [null]],
  ['an entry without configuration', [{ ...entry('0.1.0'), configuration: undefined }]],
  ['an entry that misspells removed', [{ ...entry('0.1.0'), configuration: { deprecated: [], remove: ['OLD'] } }]],
  [
    'an announcement without a replacement',
    [{ ...entry('0.1.0'), configuration: { deprecated: [{ variable: 'OLD', announced: '2026-07-22' }], removed: [] } }],
  ],
  ['an entry without operator actions', [{ ...entry('0.1.0'), operator_actions: undefined }]],
])('%s is no ledger', (_, ledger) => {
  expect(shapeFaults(ledger)).toHaveLength(1)
})

test('a ledger has a known shape', () => {
  expect(shapeFaults([entry('0.1.0', { deprecated: ['OLD'] })])).toEqual([])
})
