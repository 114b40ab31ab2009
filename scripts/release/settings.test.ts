import { expect, test } from 'vitest'
import type { DeprecatedSetting } from '../../packages/server/src/contract/deprecations/registry.ts'
import { historyFaults } from './history.ts'
import type { LedgerEntry } from './ledger.ts'
import { sampleDocument } from './sample-document.ts'
import { type CurrentSetting, settingFaults } from './settings.ts'
import type { Release } from './surface.ts'

const registered: DeprecatedSetting = {
  kind: 'setting',
  id: 'old',
  variable: 'OLD',
  since: '2026-07-22',
  migration: 'Use another.',
}
const plain: CurrentSetting = { variable: 'PORT' }
const old: CurrentSetting = { variable: 'OLD', replacedBy: 'another' }

const entry = (version: string, { deprecated = [] as string[], removed = [] as string[] } = {}): LedgerEntry => ({
  version,
  date: '2027-01-01',
  configuration: {
    deprecated: deprecated.map((variable) => ({ variable, announced: '2026-07-22', replacement: 'another' })),
    removed,
  },
  operator_actions: [],
})
const release = (version: string, settings: string[], deprecations: DeprecatedSetting[] = [registered]): Release => ({
  version,
  openapi: sampleDocument,
  errors: [],
  deprecations,
  settings,
})

const announced = entry('0.1.0', { deprecated: ['OLD'] })
const removal = [announced, entry('0.2.0'), entry('0.3.0', { removed: ['OLD'] })]
const second = release('0.2.0', ['PORT', 'OLD'])

test('settings, registry and ledger that agree have no fault', () => {
  expect(settingFaults([announced], [plain, old], [registered], release('0.1.0', ['PORT', 'OLD']))).toEqual([])
  expect(settingFaults([announced], [plain, old], [registered], undefined)).toEqual([])
})

test('a setting goes with the release that removes it', () => {
  expect(settingFaults(removal, [plain], [], second)).toEqual([])
})

test.each<[string, Parameters<typeof settingFaults>, string]>([
  [
    'a setting that disappears without a removal is a fault',
    [[announced], [old], [registered], second],
    'PORT was a setting of 0.2.0 and is gone',
  ],
  [
    'a removal in a release that is already out does not excuse a disappearance',
    [[announced, entry('0.2.0'), entry('0.3.0', { removed: ['OLD'] })], [plain], [], release('0.3.0', ['PORT', 'OLD'])],
    'OLD was a setting of 0.3.0 and is gone',
  ],
  [
    'a removed setting is no setting any more',
    [removal, [plain, { variable: 'OLD' }], [], second],
    'OLD is removed in releases.json and still a setting',
  ],
  [
    'a replaced setting is announced in the ledger',
    [[entry('0.1.0')], [plain, old], [registered], undefined],
    'releases.json does not say so',
  ],
  [
    'a replaced setting is announced in the registry',
    [[announced], [plain, old], [], undefined],
    'the deprecation registry does not say so',
  ],
  [
    'an announced setting names its replacement',
    [[announced], [plain, { variable: 'OLD' }], [registered], undefined],
    'the settings does not say so',
  ],
  [
    'a setting is announced on one date',
    [[announced], [plain, old], [{ ...registered, since: '2026-07-23' }], undefined],
    'announced on two dates',
  ],
])('%s', (_, given, fault) => {
  expect(settingFaults(...given)).toEqual([expect.stringContaining(fault)])
})

test('a ledger that its frozen releases bear out has no fault', () => {
  expect(historyFaults(removal, [release('0.1.0', ['PORT', 'OLD']), second])).toEqual([])
  expect(historyFaults([announced], [])).toEqual([])
})

test.each<[string, LedgerEntry[], Release[], string]>([
  [
    'a notice cannot be written into the past',
    [announced],
    [release('0.1.0', ['OLD'], [])],
    '0.1.0 did not announce OLD',
  ],
  [
    'a removal cannot be written into the past',
    removal,
    [release('0.1.0', []), second, release('0.3.0', ['OLD'])],
    '0.3.0 still had OLD',
  ],
  ['a release that never was does not count', removal, [release('0.1.0', [])], 'releases/0.2.0 is missing'],
  [
    'a frozen release stands in the ledger',
    [announced],
    [release('0.1.0', []), second],
    'releases/0.2.0 is not in releases.json',
  ],
])('%s', (_, ledger, releases, fault) => {
  expect(historyFaults(ledger, releases)).toEqual([expect.stringContaining(fault)])
})
