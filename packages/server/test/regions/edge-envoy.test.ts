import { readFileSync } from 'node:fs'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { mintDirectoryToken, mintKey, mintSessionToken } from '../../src/access/identity/identity.ts'
import { parseKey } from '../../src/access/identity/key-format.ts'
import { edgeConfiguration, readEdgeArguments } from '../../src/commands/edge/edge.ts'
import { bearerPattern } from '../../src/commands/edge/token-pattern.ts'
import type { Cell } from '../../src/region-settings.ts'
import { envoyFaults } from '../support/envoy-schema.ts'
import { Random } from '../support/random.ts'

/**
 * Envoy's configuration, held against Envoy's description of its form, and its routes, followed as Envoy documents them: headers of one
 * name are joined by commas, patterns of RE2 must match the whole of them, and the first route that matches is taken.
 */
const cells: Cell[] = [
  { name: 'eu2', region: 'eu', url: 'https://eu2.cells.example.com' },
  { name: 'eu10', region: 'eu', url: 'http://10.0.0.10:8080' },
  { name: 'us1', region: 'us', url: 'https://us1.cells.example.com' },
]
const make = (...more: string[]) =>
  JSON.parse(
    edgeConfiguration(readEdgeArguments(['envoy', '--local', 'http://127.0.0.1:8080', ...more])!, {
      SVC_CELL: 'eu1',
      SVC_REGION: 'eu',
      SVC_CELLS: JSON.stringify(cells),
    }),
  ) as Configuration

interface HeaderMatch {
  readonly name: string
  readonly string_match?: { readonly safe_regex: { readonly regex: string } }
  readonly present_match?: boolean
  readonly invert_match?: boolean
}
interface Route {
  readonly match: { readonly prefix: string; readonly headers?: readonly HeaderMatch[] }
  readonly route: { readonly cluster: string }
}
interface Configuration {
  readonly static_resources: {
    readonly listeners: readonly {
      readonly filter_chains: readonly {
        readonly filters: readonly { readonly typed_config: Manager }[]
      }[]
    }[]
    readonly clusters: readonly { readonly name: string }[]
  }
}
interface Manager {
  readonly route_config: {
    readonly request_headers_to_remove: readonly string[]
    readonly virtual_hosts: readonly { readonly routes: readonly Route[] }[]
  }
}
const managerOf = ({ static_resources }: Configuration) =>
  static_resources.listeners[0]!.filter_chains[0]!.filters[0]!.typed_config

type Headers = readonly (readonly [string, string])[]

/** Name of the cluster that a request is sent to. */
function clusterFor(configuration: Configuration, headers: Headers): string {
  const joined = (name: string) =>
    headers
      .filter(([key]) => key === name)
      .map(([, value]) => value)
      .join(',')
  const holds = ({ name, string_match: text, invert_match: isInverted = false }: HeaderMatch) => {
    const isPresent = headers.some(([key]) => key === name)
    const isMatch = text ? isPresent && RE2JS.matches(text.safe_regex.regex, joined(name)) : isPresent
    return isMatch !== isInverted
  }
  const { routes } = managerOf(configuration).route_config.virtual_hosts[0]!
  return routes.find(({ match }) => (match.headers ?? []).every(holds))!.route.cluster
}

const configuration = make()
const inCell = (cell: string) => ({ cell, cells })
const bearer = (text: string) => [['authorization', `Bearer ${text}`]] as const
const cookie = (text: string) => [['cookie', `a=b; __Host-weir=${text}; c=d`]] as const

describe('the configuration of Envoy', () => {
  test.each([
    [[]],
    [
      [
        '--certificate',
        '/etc/envoy/weir.pem',
        '--proxy-protocol',
        '--listen',
        '[::1]:8443',
        '--ca-file',
        '/etc/ca.pem',
      ],
    ],
  ])('has the form that Envoy describes, with %j', (options) => {
    expect(envoyFaults(make(...options))).toEqual([])
  })

  test('is committed as an example, and so is another, in the same form', () => {
    for (const path of ['deploy/edge/envoy.json', 'examples/envoy/envoy.json'])
      expect(envoyFaults(JSON.parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')))).toEqual([])
  })

  test('would not pass with a field that Envoy does not have, a wrong kind of value, or two of a choice', () => {
    const faulty: [string, string, RegExp][] = [
      ['"merge_slashes":false', '"merge_slash":false', /merge_slash is no field/],
      ['"connect_timeout":"2s"', '"connect_timeout":2', /no duration/],
      ['"KEEP_UNCHANGED"', '"KEEP"', /no PathWithEscapedSlashesAction/],
      ['"prefix":"/"', '"prefix":"/","path":"/x"', /both prefix and path/],
      ['v3.Router"', 'v3.Routers"', /not known/],
      ['"num_retries":1', '"num_retries":"1"', /no number/],
    ]
    for (const [whole, broken, message] of faulty) {
      const text = JSON.stringify(configuration).replace(whole, broken)
      expect(envoyFaults(JSON.parse(text)).join(), broken).toMatch(message)
    }
  })

  test('sends keys, sessions and directories to the cell of the region that they name, everything else to the local one', () => {
    const wanted: [Headers, string][] = [
      [[], 'local'],
      ...cells.flatMap(({ name, region }): [Headers, string][] => {
        const to = region === 'eu' ? `cell_${name}` : 'local'
        return [
          [bearer(mintKey(name).text), to],
          [[['authorization', `bEARER   ${mintKey(name).text} `]], to],
          [bearer(mintDirectoryToken(inCell(name)).text), to],
          [cookie(mintSessionToken(inCell(name)).text), to],
        ]
      }),
      [bearer(mintKey('eu1').text), 'local'],
      [bearer(mintKey('zz9').text), 'local'],
      [bearer('sk-0123456789abcdef0123456789'), 'local'],
      [bearer('eu2'), 'local'],
      [bearer('weir_eu2'), 'local'],
      [bearer(`${mintKey('eu2').text}x`), 'local'],
      [bearer(`${mintKey('eu2').text}, Bearer ${mintKey('eu2').text}`), 'local'],
      [[...bearer(mintKey('eu2').text), ...bearer(mintKey('eu10').text)], 'local'],
      // The key decides, as in the service.
      [[...bearer(mintKey('eu1').text), ...cookie(mintSessionToken(inCell('eu2')).text)], 'local'],
      [[['cookie', `x__Host-weir=${mintSessionToken(inCell('eu2')).text}`]], 'local'],
      [[['cookie', `__Host-weirs=${mintSessionToken(inCell('eu2')).text}`]], 'local'],
      [cookie(mintKey('eu2').text), 'local'],
      [bearer(`${'a'.repeat(60_000)}${mintKey('eu2').text}`), 'local'],
    ]
    for (const [headers, cluster] of wanted)
      expect([headers, clusterFor(configuration, headers)]).toEqual([headers, cluster])
    const names = configuration.static_resources.clusters.map(({ name }) => name)
    expect(names).toEqual(['local', 'only_eu10', 'cell_eu10', 'only_eu2', 'cell_eu2'])
  })

  test('takes away what only cells say', () => {
    expect(managerOf(configuration).route_config.request_headers_to_remove).toContain('x-svc-cell-link')
  })
})

test('a proxy reads from a key the cell that the service reads, also where the names of cells begin alike', () => {
  const random = new Random(22)
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
  const pattern = RE2JS.compile(bearerPattern())
  for (let i = 0; i < 2_000; i++) {
    const length = random.int(8)
    const name = 'e' + Array.from({ length }, () => letters[random.int(letters.length)]).join('')
    const { text } = mintKey(name)
    const match = pattern.matcher(`Bearer ${text}`)
    expect([match.matches(), match.group(1)]).toEqual([true, name])
    expect(parseKey(text)?.cell).toBe(name)
  }
})
