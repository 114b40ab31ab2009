import { expect, test } from 'vitest'
import type {
  DeprecatedDelivery,
  DeprecatedRoute,
  DeprecatedSetting,
  Deprecation,
} from '../../packages/server/src/contract/deprecations/registry.ts'
import { noticeFaults, withdrawalFaults } from './announcements.ts'
import type { LedgerEntry } from './ledger.ts'

const route: DeprecatedRoute = {
  kind: 'route',
  id: 'forecast',
  method: 'GET',
  route: '/v1/forecast',
  since: '2026-07-22',
  sunset: '2036-12-31T23:59:59Z',
  noticeClass: 'v1_api',
  migration: 'Use another.',
}
const delivery: DeprecatedDelivery = {
  kind: 'delivery',
  id: 'delivery',
  surface: 'Delivery',
  since: '2026-07-22',
  sunset: '2027-12-31T23:59:59Z',
  migration: 'Use another.',
}
const setting: DeprecatedSetting = {
  kind: 'setting',
  id: 'old',
  variable: 'SVC_OLD',
  since: '2026-07-22',
  migration: 'Use another.',
}

const removing = (...removed: string[]): LedgerEntry[] => [
  { version: '0.3.0', date: '2027-01-01', configuration: { deprecated: [], removed }, operator_actions: [] },
]

test.each<[string, Deprecation]>([
  ['twelve months to the day', { ...route, sunset: '2027-07-22T00:00:00Z' }],
  ['a webhook shape with its own date', { ...delivery, sunset: '2026-09-01T00:00:00Z' }],
  ['a webhook route with its own date', { ...route, noticeClass: 'webhook_v1', sunset: '2026-09-01T00:00:00Z' }],
  ['a setting, which counts releases', setting],
])('%s is notice enough', (_, entry) => {
  expect(noticeFaults([entry])).toEqual([])
})

test.each<[string, Deprecation, string]>([
  ['eleven months of notice', { ...route, sunset: '2027-06-22T00:00:00Z' }, 'less than 12 months'],
  ['a second less than twelve months', { ...route, sunset: '2027-07-21T23:59:59Z' }, 'less than 12 months'],
  [
    'twelve months from a leap day to the day before',
    { ...route, since: '2028-02-29', sunset: '2029-02-28T23:59:59Z' },
    'less than 12 months',
  ],
  ['a sunset before the announcement', { ...delivery, sunset: '2026-07-21T00:00:00Z' }, 'less than 0 months'],
  ['a sunset that no clock shows', { ...delivery, sunset: '2027-02-30T00:00:00Z' }, 'sunset is no UTC instant'],
  ['a sunset in words', { ...route, sunset: 'next year' }, 'sunset is no UTC instant'],
  ['an announcement on no day', { ...setting, since: '2026-02-30' }, 'since is no date'],
])('%s is a fault', (_, entry, fault) => {
  expect(noticeFaults([entry])).toEqual([expect.stringContaining(fault)])
})

test.each<[string, Deprecation, Deprecation[], string]>([
  ['a route may not leave the registry', route, [], 'disappeared'],
  ['a delivery may not leave the registry', delivery, [], 'disappeared'],
  ['a setting may not leave the registry before it is removed', setting, [], 'disappeared'],
  ['a published sunset never moves earlier', route, [{ ...route, sunset: '2036-12-31T23:59:58Z' }], 'moved earlier'],
  [
    'a published sunset of a delivery never moves earlier',
    delivery,
    [{ ...delivery, sunset: '2027-12-30T23:59:59Z' }],
    'moved earlier',
  ],
  ['the announcement never moves', setting, [{ ...setting, since: '2026-07-21' }], 'since moved'],
  ['an entry never names another surface', route, [{ ...route, method: 'POST' }], 'now names POST /v1/forecast'],
  ['the notice class never changes', route, [{ ...route, noticeClass: 'webhook_v1' }], 'notice class changed'],
])('%s', (_, entry, current, fault) => {
  expect(withdrawalFaults([entry], current, removing())).toEqual([expect.stringContaining(fault)])
})

test.each<[string, Deprecation[], Deprecation[], LedgerEntry[]]>([
  ['a sunset may move later', [route], [{ ...route, sunset: '2037-12-31T23:59:59Z' }], removing()],
  ['the registry may grow', [route], [route, delivery], removing()],
  ['a setting leaves the registry once the ledger removes it', [setting], [], removing('SVC_OLD')],
])('%s', (_, released, current, ledger) => {
  expect(withdrawalFaults(released, current, ledger)).toEqual([])
})
