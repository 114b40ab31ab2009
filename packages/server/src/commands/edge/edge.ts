import { parseArgs } from 'node:util'
import { type CellSettings, ConfigurationError, readCells } from '../../config.ts'
import type { Edge } from './edge-proxy.ts'
import { envoyConfiguration } from './envoy.ts'
import { haproxyConfiguration } from './haproxy.ts'

const programs = { haproxy: haproxyConfiguration, envoy: envoyConfiguration } as const
type Program = keyof typeof programs
const isProgram = (name: string): name is Program => Object.hasOwn(programs, name)

export interface EdgeArguments {
  readonly program: Program
  readonly local: readonly URL[]
  readonly listen: string | undefined
  readonly certificate: string | undefined
  readonly authorities: string | undefined
  readonly isBehindBalancer: boolean
}

/** Returns the arguments of `edge haproxy|envoy`; undefined when they cannot be understood. */
export function readEdgeArguments(args: string[]): EdgeArguments | undefined {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        local: { type: 'string', multiple: true },
        listen: { type: 'string' },
        certificate: { type: 'string' },
        'ca-file': { type: 'string' },
        'proxy-protocol': { type: 'boolean', default: false },
      },
    })
    const [program = '', ...more] = positionals
    const local = (values.local ?? []).map(localUrl)
    if (!isProgram(program) || more.length > 0 || local.length === 0) return undefined
    const { listen, certificate } = values
    const authorities = values['ca-file']
    return { program, local, listen, certificate, authorities, isBehindBalancer: values['proxy-protocol'] }
  } catch {
    return undefined
  }
}

/** Returns the configuration of a proxy, made from the settings of the cell behind it; throws {@link ConfigurationError}. */
export function edgeConfiguration(given: EdgeArguments, environment: Record<string, string | undefined>): string {
  const { cell, region, cells } = readCells(environment)
  const edge: Edge = {
    cell,
    region,
    local: given.local,
    neighbours: neighboursIn({ cell, region, cells }),
    listen: listenAddress(given.listen ?? (given.certificate === undefined ? ':8080' : ':443')),
    certificate: fileName('--certificate', given.certificate),
    authorities: fileName('--ca-file', given.authorities),
    isBehindBalancer: given.isBehindBalancer,
  }
  return programs[given.program](edge)
}

const neighboursIn = ({ region, cells }: CellSettings) =>
  cells.filter((cell) => cell.region === region).toSorted((a, b) => (a.name < b.name ? -1 : 1))

function localUrl(text: string): URL {
  const url = new URL(text)
  const isBase = /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (!isBase) throw new TypeError('no base URL')
  return url
}

function listenAddress(text: string): Edge['listen'] {
  const [, host = '', port = ''] = /^((?:[\d.]+|\[[0-9a-fA-F:.]+\])?):(\d{1,5})$/.exec(text) ?? []
  if (port === '' || Number(port) > 65_535)
    throw new ConfigurationError([`--listen must be an address and a port, such as 192.0.2.1:443, [::]:443 or :443`])
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** A name that stands in a configuration as it is: nothing in it may end it. */
function fileName(option: string, text: string | undefined): string | undefined {
  if (text !== undefined && !/^\/[\w./+@-]+$/.test(text))
    throw new ConfigurationError([`${option} must be the absolute path of a file, of letters, digits and ./+@_-`])
  return text
}

/** Prints the configuration of a proxy. */
export function printEdge(given: EdgeArguments, environment: Record<string, string | undefined>) {
  process.stdout.write(edgeConfiguration(given, environment))
}
