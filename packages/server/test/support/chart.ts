import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments } from 'yaml'
import type { Manifest } from './manifests.ts'

/** The Helm chart, rendered without Helm: its templates use nothing but what Go's templates have, and kubectl has those. */
export const chartFolder = fileURLToPath(new URL('../../../../deploy/helm/weir/', import.meta.url))

export type Values = Readonly<Record<string, unknown>>

export const chartFile = (name: string) => readFileSync(chartFolder + name, 'utf8')
const chartValues = (name: string) => parse(chartFile(name)) as Values
export const templateNames = () => readdirSync(`${chartFolder}templates`)

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The values of a file over others, as Helm lays them: maps into each other, everything else instead of what was there. */
export function layered(under: Values, over: Values): Values {
  const both = Object.entries(over).map(([name, value]) => {
    const below = under[name]
    return [name, isMap(value) && isMap(below) ? layered(below, value) : value] as const
  })
  return { ...under, ...Object.fromEntries(both) }
}

export const valuesWith = (over: Values = {}, file?: string) => {
  const base = chartValues('values.yaml')
  return layered(file === undefined ? base : layered(base, chartValues(file)), over)
}

/** What a template of the chart makes of values. */
export const renderTemplate = (name: string, values: Values) => renderText(chartFile(`templates/${name}`), values)

export function renderChart(values: Values): Manifest[] {
  const templates = templateNames().filter((name) => name.endsWith('.yaml'))
  // One after the other, each apart from the one before whatever space it trims.
  const text = templates.map((name) => chartFile(`templates/${name}`)).join('{{ "\\n---\\n" }}')
  return parseAllDocuments(renderText(text, values)).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]!
    const manifest = document.toJS() as Manifest | null
    return manifest === null ? [] : [manifest]
  })
}

function renderText(template: string, values: Values): string {
  const { version, appVersion } = parse(chartFile('Chart.yaml')) as Record<string, string>
  // kubectl prints any object through a template, without a cluster; Helm's own objects are fields of this one.
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'chart' },
    Values: values,
    Release: { Name: 'weir', Namespace: 'weir', Service: 'Helm' },
    Chart: { Name: 'weir', Version: version, AppVersion: appVersion },
  }
  const local = ['label', '--local', '--filename', '-', 'rendered=chart']
  return execFileSync('kubectl', [...local, '--output', 'go-template', '--template', template], {
    encoding: 'utf8',
    input: JSON.stringify(object),
  })
}
