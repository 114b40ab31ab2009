import { describe, expect, test } from 'vitest'
import { ConfigurationError, readConfig } from './config.ts'

const masterKeys = `m:${Buffer.alloc(32, 1).toString('base64')}`
const linkKeys = `l:${Buffer.alloc(32, 2).toString('base64')}`
const base = {
  SVC_DATABASE_URL: 'postgres://weir@localhost/weir',
  SVC_REDIS_URL: 'redis://localhost',
  SVC_MASTER_KEYS: masterKeys,
  SVC_CELL: 'c1',
}
const cell = { name: 'c2', region: 'us', url: 'https://c2.example.com' }
const whole = { SVC_REGION: 'eu', SVC_CELLS: JSON.stringify([cell]), SVC_CELL_LINK_KEYS: linkKeys }

function faultsOf(environment: Record<string, string>): string {
  try {
    readConfig({ ...base, ...environment })
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
  return ''
}

describe('settings of cells', () => {
  test('are none of a single cell', () => {
    const { config, warnings } = readConfig(base)
    expect([config.region, config.cells, config.cellLinkKeys, warnings]).toEqual([undefined, [], undefined, []])
    expect(readConfig({ ...base, SVC_REGION: 'eu' }).config.region).toBe('eu')
  })

  test('name the other cells', () => {
    const { config, warnings } = readConfig({ ...base, ...whole })
    expect([config.cells, warnings]).toEqual([[cell], []])
    const slash = { ...whole, SVC_CELLS: JSON.stringify([{ ...cell, url: 'https://c2.example.com/' }]) }
    expect(readConfig({ ...base, ...slash }).config.cells).toEqual([cell])
  })

  const cells = (...list: unknown[]) => ({ ...whole, SVC_CELLS: JSON.stringify(list) })
  test.each<[string, Record<string, string>, string]>([
    ['no region', { ...whole, SVC_REGION: '' }, 'SVC_REGION'],
    ['a region with a space', { ...whole, SVC_REGION: 'e u' }, 'SVC_REGION must be a letter and up to 31'],
    ['no JSON', { ...whole, SVC_CELLS: 'c2=https://c2' }, 'it is not JSON'],
    ['no list', { ...whole, SVC_CELLS: '{}' }, 'a list of'],
    ['no object', cells('c2'), 'entry 1 is no object'],
    ['a long name', cells({ ...cell, name: 'c23456789' }), 'a name in entry 1'],
    ['no region of a cell', cells(cell, { ...cell, name: 'c3', region: '' }), 'a region in entry 2'],
    ['a path', cells({ ...cell, url: 'https://c2.example.com/v1' }), 'no path, query or password'],
    ['a password', cells({ ...cell, url: 'https://me:secret@c2.example.com' }), 'no path, query or password'],
    ['another protocol', cells({ ...cell, url: 'ftp://c2.example.com' }), 'must begin with https://'],
    ['a field too many', cells({ ...cell, weight: 3 }), 'a field that is not known'],
    ['a name twice', cells(cell, { ...cell, url: 'https://c3.example.com' }), 'two cells with one name'],
    ['a URL twice', cells(cell, { ...cell, name: 'c3' }), 'two cells with one url'],
    ['itself', cells({ ...cell, name: 'c1' }), 'SVC_CELLS lists c1, which is this cell'],
    ['a master key', { ...whole, SVC_CELL_LINK_KEYS: masterKeys }, 'has a key of SVC_MASTER_KEYS'],
    ['half a key', { ...whole, SVC_CELL_LINK_KEYS: 'l:AAAA' }, 'SVC_CELL_LINK_KEYS must be'],
  ])('that have %s refuse the start, and say what to do', (_name, environment, fault) => {
    const said = faultsOf(environment)
    expect(said).toContain(fault)
    expect(said).not.toContain('secret')
  })

  test('that lack the link keys or the region say so, both at once', () => {
    const said = faultsOf({ SVC_CELLS: whole.SVC_CELLS })
    expect(said).toContain('SVC_CELLS needs SVC_REGION')
    expect(said).toContain('SVC_CELLS needs SVC_CELL_LINK_KEYS')
  })

  test('warn of a link over plain HTTP, but on one machine', () => {
    const { warnings } = readConfig({ ...base, ...cells({ ...cell, url: 'http://c2.example.com' }) })
    expect(warnings.join()).toContain('c2 over plain HTTP')
    expect(readConfig({ ...base, ...cells({ ...cell, url: 'http://127.0.0.1:8081' }) }).warnings).toEqual([])
  })
})
