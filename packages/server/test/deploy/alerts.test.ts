import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { rows } from '../../scripts/dashboard.ts'
import { type AlertCase, alertCases } from '../support/alert-cases.ts'
import { allRules, groupingLabels, metricsOf, type RuleGroup, readRules } from '../support/alert-rules.ts'
import { declaredSeries, namedMetrics } from '../support/declared-metrics.ts'
import { readGuide } from '../support/guide.ts'

/** The rules for Prometheus that Weir ships, against its code, its runbooks, and promtool. */
const rules = allRules()
const alerts = rules.filter(({ alert }) => alert !== undefined)
const names = alerts.map(({ alert }) => alert!)
const declared = declaredSeries()
const recorded = new Set(rules.flatMap(({ record }) => record ?? []))

async function faultsOf(expression: string): Promise<string[]> {
  const series = await declared
  const read = metricsOf(expression)
  const labelsRead = new Set(read.flatMap(({ name }) => [...(series.get(name) ?? [])]))
  return [
    ...read.flatMap(({ name, labels }) => {
      if (recorded.has(name)) return []
      const known = series.get(name)
      if (!known) return [`no code declares ${name}`]
      return labels.filter((label) => !known.has(label)).map((label) => `${name} has no label ${label}`)
    }),
    ...groupingLabels(expression)
      .filter((label) => !labelsRead.has(label))
      .map((label) => `nothing has the label ${label}`),
  ]
}

test('the reading of the source finds every metric that it declares', async () => {
  const series = await declared
  const lost = namedMetrics().filter((name) => !series.has(name) && !series.has(`${name}_count`))
  expect(lost).toEqual([])
  expect(namedMetrics().length).toBeGreaterThan(60)
})

test('every metric and label in the rules is one that the code declares', async () => {
  for (const { alert, record, expr } of rules)
    expect({ rule: alert ?? record, faults: await faultsOf(expr) }).toEqual({ rule: alert ?? record, faults: [] })
})

test('a metric or a label that no code declares would be found', async () => {
  expect(await faultsOf('sum by (mood) (rate(svc_lane_moods_total[5m])) > 0')).toEqual([
    'no code declares svc_lane_moods_total',
    'nothing has the label mood',
  ])
  expect(await faultsOf('svc_job_failures_total{job="x"} > 0 or svc_shed_requests_total{colour="red"}')).toEqual([
    'svc_shed_requests_total has no label colour',
  ])
})

test('every alert has a runbook, every runbook an alert, and the link leads there', () => {
  const { text } = readGuide('runbooks')
  const sections = text.split(/^### /m).slice(1)
  expect(new Set(sections.map((section) => section.split('\n', 1)[0]))).toEqual(new Set(names))
  expect(sections.length).toBe(names.length)
  expect(new Set(names).size).toBe(names.length)
  for (const section of sections)
    for (const part of ['**It means**', '**Look**', '**Do**', '**It is over**'])
      expect({ section: section.split('\n', 1)[0], part, is: section.includes(part) }).toMatchObject({ is: true })
  for (const { alert, labels, annotations } of alerts) {
    expect(annotations?.['runbook_url']).toBe(`https://weir.example.com/docs/runbooks#${alert!.toLowerCase()}`)
    expect(labels?.['severity']).toMatch(/^(page|ticket)$/)
  }
})

test('every query of the runbooks and of the objectives reads metrics that exist', async () => {
  const text = readGuide('runbooks').text + readGuide('slo').text
  const queries = [...text.matchAll(/```promql\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.trim().split('\n'))
  expect(queries.length).toBeGreaterThan(30)
  for (const query of queries) expect({ query, faults: await faultsOf(query) }).toEqual({ query, faults: [] })
})

test('every query of the dashboard reads metrics that exist', async () => {
  const queries = Object.values(rows).flatMap((questions) => questions.flatMap(({ queries }) => Object.values(queries)))
  expect(queries.length).toBeGreaterThan(20)
  for (const query of queries) expect({ query, faults: await faultsOf(query) }).toEqual({ query, faults: [] })
})

test('every alert fires and clears', () => {
  expect(Object.keys(alertCases).toSorted()).toEqual(names.toSorted())
  const grouped = Object.groupBy(Object.entries(alertCases), ([, { group }]) => group ?? 'others')
  for (const cases of Object.values(grouped)) {
    const groupsOfRules = readRules().groups.filter(({ rules }) =>
      rules.some(({ alert }) => cases!.some(([name]) => name === alert)),
    )
    expect(promtoolFaults(groupsOfRules, cases!)).toBe('')
  }
})

/** Runs promtool over rules; returns what it finds wrong. */
function promtoolFaults(groups: readonly RuleGroup[], cases: readonly [string, AlertCase][]): string {
  const folder = mkdtempSync(`${tmpdir()}/weir-rules-`)
  try {
    // promtool reads YAML, of which JSON is a part.
    writeFileSync(`${folder}/rules.json`, JSON.stringify({ groups }))
    const file = { rule_files: ['rules.json'], evaluation_interval: '1m', tests: [promtoolTest(cases)] }
    writeFileSync(`${folder}/cases.json`, JSON.stringify(file))
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', `${folder}/cases.json`], {
      encoding: 'utf8',
    })
    return status === 0 ? '' : stdout + stderr
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const promtoolTest = (cases: readonly [string, AlertCase][]) => ({
  interval: '1m',
  input_series: cases.flatMap(([, { series }]) =>
    Object.entries(series).map(([series, values]) => ({ series, values })),
  ),
  promql_expr_test: cases.flatMap(([name, { fires, clears }]) => {
    const expr = `count by (alertname) (ALERTS{alertname="${name}", alertstate="firing"})`
    return [
      { expr, eval_time: `${fires}m`, exp_samples: [{ labels: `{alertname="${name}"}`, value: 1 }] },
      { expr, eval_time: `${clears}m`, exp_samples: [] },
    ]
  }),
})
