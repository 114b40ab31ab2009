import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually, startProgram } from '../../test/support/programs.ts'
import { leashed } from '../support/postgres-server.ts'

const rulesFile = new URL('../../../../deploy/prometheus/rules.yaml', import.meta.url)

/** A minute of the rules is a second of a drill. */
const hurry = 60
const secondsPer: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Shortens every duration in rules, and the age of a process, so that what takes an hour is seen within a minute. */
export const hurried = (rules: string) =>
  rules
    .replace(
      /(\[|\boffset |\bfor: )(\d+)([smhd])\b/g,
      (_match, before: string, count: string, unit: string) =>
        `${before}${Math.round((Number(count) * secondsPer[unit]! * 1_000) / hurry)}ms`,
    )
    .replace(
      /(\btime\(\) - [^>]*> )(\d+)/g,
      (_match, before: string, seconds: string) => before + Number(seconds) / hurry,
    )

export interface Prometheus {
  /** Alerts that are pending or firing. */
  readonly alerts: () => Promise<ReadonlyMap<string, 'pending' | 'firing'>>
  readonly close: () => Promise<void>
}

/** Starts Prometheus as Debian packages it, with the rules of Weir in a hurry, on targets by their job. */
export async function startPrometheus(port: number, targets: Readonly<Record<string, number>>): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-prometheus-'))
  writeFileSync(join(folder, 'rules.yaml'), hurried(readFileSync(rulesFile, 'utf8')))
  const config = {
    global: { scrape_interval: '1500ms', scrape_timeout: '1500ms', evaluation_interval: '500ms' },
    rule_files: ['rules.yaml'],
    scrape_configs: Object.entries(targets).map(([job, target]) => ({
      job_name: job,
      static_configs: [{ targets: [`127.0.0.1:${target}`] }],
    })),
  }
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const running = startProgram(
    'prometheus',
    leashed('KILL', [
      'prometheus',
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--query.lookback-delta=5s',
    ]),
    {},
  )
  await eventually(() =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return {
    async alerts() {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`).catch(() => undefined)
      if (!response?.ok) throw new Error(`Prometheus does not answer: ${running.errors.slice(-3).join('\n')}`)
      const { data } = (await response.json()) as { data: { alerts: AlertState[] } }
      // Of one alert with several labels, that which fires counts.
      const sorted = data.alerts.toSorted((a, b) => b.state.localeCompare(a.state))
      return new Map(sorted.map(({ labels, state }) => [labels.alertname, state]))
    },
    async close() {
      running.process.kill('SIGKILL')
      await running.exit
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface AlertState {
  readonly labels: { readonly alertname: string }
  readonly state: 'pending' | 'firing'
}
