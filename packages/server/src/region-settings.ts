import type { MasterKeys } from './values/keyring.ts'
import { isLocalUrl } from './values/published-keys.ts'
import { isRecord } from './values/records.ts'
import { optional, secretSetting, setting } from './values/setting.ts'
import { masterKeys, SettingFault } from './values/setting-parsers.ts'

/** One of several installations that work as one: its name, as in the keys that it issues, its region, and where it is reached. */
export interface Cell {
  readonly name: string
  readonly region: string
  /** Base URL of its API, without a path. */
  readonly url: string
}

const cellName = /^[a-z][a-z0-9]{0,7}$/
const regionName = /^[a-z][a-z0-9-]{0,31}$/
const cellNameFault = 'must be a letter and up to seven letters or digits'
const regionNameFault = 'must be a letter and up to 31 letters, digits or hyphens'
const maxCells = 1_000

export function parseCellName(value: string): string {
  if (!cellName.test(value)) throw new SettingFault(cellNameFault)
  return value
}

function parseRegion(value: string): string {
  if (!regionName.test(value)) throw new SettingFault(regionNameFault)
  return value
}

const form = 'must be JSON like [{"name":"c2","region":"eu","url":"https://c2.example.com"}]'

function parseCells(value: string): readonly Cell[] {
  let list: unknown
  try {
    list = JSON.parse(value)
  } catch {
    throw new SettingFault(`${form}: it is not JSON`)
  }
  if (!Array.isArray(list) || list.length > maxCells) throw new SettingFault(`${form}: a list of at most ${maxCells}`)
  const cells = list.map(parseCell)
  for (const field of ['name', 'url'] as const)
    if (new Set(cells.map((cell) => cell[field])).size < cells.length)
      throw new SettingFault(`has two cells with one ${field}: each cell is listed once`)
  return cells
}

function parseCell(entry: unknown, index: number): Cell {
  const at = `entry ${index + 1}`
  if (!isRecord(entry)) throw new SettingFault(`${form}: ${at} is no object`)
  const { name, region, url, ...others } = entry
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new SettingFault(`${form}: ${at} has a field that is not known`)
  if (typeof name !== 'string' || !cellName.test(name))
    throw new SettingFault(`has a name in ${at} that ${cellNameFault}`)
  if (typeof region !== 'string' || !regionName.test(region))
    throw new SettingFault(`has a region in ${at} that ${regionNameFault}`)
  return { name, region, url: parseBase(url, at) }
}

function parseBase(url: unknown, at: string): string {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  const isBase =
    parsed !== undefined &&
    (parsed.protocol === 'https:' || parsed.protocol === 'http:') &&
    parsed.username + parsed.password + parsed.search + parsed.hash === '' &&
    parsed.pathname === '/'
  if (!isBase)
    throw new SettingFault(
      `has a url in ${at} that must begin with https:// or http:// and have no path, query or password`,
    )
  return parsed.origin
}

/** Settings of an installation that is one of several cells. */
export const regionSettings = {
  region: optional(
    setting('SVC_REGION', 'The [region](regions.md) in which this installation stands, such as `eu`.', parseRegion),
    'none: no organization can be bound to one',
    () => undefined,
  ),
  cells: optional(
    setting(
      'SVC_CELLS',
      'The other [cells](regions.md) of this installation, as JSON: `[{"name":"c2","region":"eu","url":"https://c2.example.com"}]`. Needs `SVC_REGION` and `SVC_CELL_LINK_KEYS`.',
      parseCells,
    ),
    'none: this is the only cell',
    (): readonly Cell[] => [],
  ),
  cellLinkKeys: optional(
    secretSetting(
      'SVC_CELL_LINK_KEYS',
      'The secrets by which cells recognize each other, in the form of `SVC_MASTER_KEYS`, newest first; the same in every cell.',
      masterKeys,
    ),
    'needed with `SVC_CELLS` only',
    () => undefined,
  ),
}

interface RegionValues {
  readonly cell?: string
  readonly region?: string | undefined
  readonly cells?: readonly Cell[]
  readonly cellLinkKeys?: (() => MasterKeys) | undefined
  readonly masterKeys?: () => MasterKeys
}

/** Returns the faults and warnings of these settings together. */
export function checkRegionSettings({ cell, region, cells = [], cellLinkKeys, masterKeys: master }: RegionValues) {
  const faults: string[] = []
  if (cells.length > 0) {
    if (region === undefined) faults.push('SVC_CELLS needs SVC_REGION: name the region in which this cell stands')
    if (cellLinkKeys === undefined)
      faults.push(
        'SVC_CELLS needs SVC_CELL_LINK_KEYS: set the same key in every cell (`id:` and the output of `openssl rand -base64 32`)',
      )
    if (cells.some(({ name }) => name === cell))
      faults.push(`SVC_CELLS lists ${cell}, which is this cell (SVC_CELL): list the other cells only`)
  }
  const linkKeys = cellLinkKeys?.() ?? []
  if (linkKeys.some(({ bytes }) => master?.().some((key) => key.bytes.equals(bytes))))
    faults.push('SVC_CELL_LINK_KEYS has a key of SVC_MASTER_KEYS: make one of its own with `openssl rand -base64 32`')
  const plain = cells.filter(({ url }) => url.startsWith('http:') && !isLocalUrl(url)).map(({ name }) => name)
  const warnings =
    plain.length === 0
      ? []
      : [
          `SVC_CELLS reaches ${plain.join(', ')} over plain HTTP: the keys of callers travel there as they are. Use https:// outside a private network.`,
        ]
  return { faults, warnings }
}
