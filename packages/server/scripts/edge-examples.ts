import { readFileSync } from 'node:fs'
import { edgeConfiguration, readEdgeArguments } from '../src/commands/edge/edge.ts'

const folder = new URL('../../../deploy/edge/', import.meta.url)
const options = ['--local', 'http://10.0.1.11:8080', '--local', 'http://10.0.1.12:8080']

/** Configurations of proxies as `main.ts edge` makes them of the settings in `deploy/edge/weir.env`, by their paths. */
export function edgeExamples(): Record<string, string> {
  const lines = readFileSync(new URL('weir.env', folder), 'utf8').split('\n')
  const environment = Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^([A-Z_]+)='?(.*?)'?$/.exec(line) ?? []
      return name !== undefined && value !== undefined ? [[name, value]] : []
    }),
  )
  const made = (program: string, certificate: string) => {
    const given = readEdgeArguments([program, ...options, '--certificate', certificate])
    if (!given) throw new Error('the options of the examples cannot be understood')
    return edgeConfiguration(given, environment)
  }
  return {
    'deploy/edge/haproxy.cfg': made('haproxy', '/etc/haproxy/weir.pem'),
    'deploy/edge/envoy.json': made('envoy', '/etc/envoy/weir.pem'),
  }
}
