import { expect, test } from 'vitest'
import type { Deprecation } from '../../packages/server/src/contract/deprecations/registry.ts'
import { changelogFaults } from './changelog.ts'
import type { LedgerEntry } from './ledger.ts'

const registry: Deprecation[] = [
  {
    kind: 'route',
    id: 'a',
    method: 'GET',
    route: '/v1/a/{id}',
    since: '2026-07-22',
    sunset: '2036-12-31T23:59:59Z',
    noticeClass: 'v1_api',
    migration: '',
  },
  {
    kind: 'delivery',
    id: 'old-delivery',
    surface: 'Delivery',
    since: '2026-07-22',
    sunset: '2036-12-31T23:59:59Z',
    migration: '',
  },
  { kind: 'setting', id: 'c', variable: 'SVC_OLD', since: '2026-07-22', migration: '' },
]
const ledger: LedgerEntry[] = [
  {
    version: '0.1.0',
    date: '2026-11-15',
    configuration: { deprecated: [{ variable: 'SVC_OLD', announced: '2026-07-22', replacement: '' }], removed: [] },
    operator_actions: [],
  },
  {
    version: '0.3.0',
    date: '2027-11-15',
    configuration: { deprecated: [], removed: ['SVC_GONE'] },
    operator_actions: [],
  },
]
const changelog = `# Changelog

## [Unreleased]

### Deprecated

- \`GET /v1/a/{id}\`.

## [0.3.0] - 2027-11-15

### Removed

- \`SVC_GONE\`.

## [0.1.0] - 2026-11-15

### Deprecated

- The delivery (\`old-delivery\`).
- \`SVC_OLD\`.

### Added

- Nothing.
`

test('a changelog that names everything where it belongs has no fault', () => {
  expect(changelogFaults(changelog, registry, ledger)).toEqual([])
})

test.each([
  [
    'a deprecated route that is not named',
    '- `GET /v1/a/{id}`.',
    '',
    ['CHANGELOG.md names GET /v1/a/{id} under no Deprecated heading'],
  ],
  [
    'a deprecated route named with another method',
    '`GET /v1/a',
    '`PUT /v1/a',
    ['CHANGELOG.md names GET /v1/a/{id} under no Deprecated heading'],
  ],
  [
    'a route of which only a longer one is named',
    '/v1/a/{id}',
    '/v1/a/{id}/rotate',
    ['CHANGELOG.md names GET /v1/a/{id} under no Deprecated heading'],
  ],
  [
    'a delivery that is not named',
    'old-delivery',
    'older',
    ['CHANGELOG.md names old-delivery under no Deprecated heading'],
  ],
  [
    'a deprecated variable that is named under Added only',
    '- `SVC_OLD`.\n\n### Added\n',
    '### Added\n\n- `SVC_OLD`.\n',
    [
      'CHANGELOG.md names SVC_OLD under no Deprecated heading',
      'CHANGELOG.md does not name SVC_OLD under Deprecated of 0.1.0',
    ],
  ],
  ['a removal that is not named', '- `SVC_GONE`.', '', ['CHANGELOG.md does not name SVC_GONE under Removed of 0.3.0']],
  [
    'a removal named under another heading',
    '### Removed',
    '### Changed',
    ['CHANGELOG.md does not name SVC_GONE under Removed of 0.3.0'],
  ],
  ['a release without a section', '## [0.3.0] - 2027-11-15', '', ['CHANGELOG.md has no section for 0.3.0']],
  [
    'a release with another date',
    '2027-11-15',
    '2027-11-16',
    ['CHANGELOG.md dates 0.3.0 2027-11-16, releases.json 2027-11-15'],
  ],
  ['a release without a date', ' - 2027-11-15', '', ['CHANGELOG.md dates 0.3.0 not at all, releases.json 2027-11-15']],
])('%s is a fault', (_, from, to, faults) => {
  expect(changelogFaults(changelog.replace(from, to), registry, ledger)).toEqual(faults)
})
