import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { protobufLogs } from '../../src/runs/otlp/log-encodings.ts'
import type { LogsRequest } from '../../src/runs/otlp/logs.ts'
import { protobufMetrics } from '../../src/runs/otlp/metric-encodings.ts'
import type { MetricsRequest } from '../../src/runs/otlp/metrics-request.ts'

/**
 * What Claude Code 2.1.197 and Codex 0.169.0 sent while they asked a practice provider, without names of machines. A session of
 * Claude Code is two processes, the second of which continues what the first began.
 */

const folder = join(import.meta.dirname, 'assistants')
const bytesOf = (name: string) => readFileSync(join(folder, name))
const jsonOf = (name: string): unknown => JSON.parse(bytesOf(name).toString())

export interface Report {
  readonly path: '/v1/otlp/v1/logs' | '/v1/otlp/v1/metrics'
  readonly body: LogsRequest & MetricsRequest
}

const logs = (body: unknown): Report => ({ path: '/v1/otlp/v1/logs', body: body as Report['body'] })
const metrics = (body: unknown): Report => ({ path: '/v1/otlp/v1/metrics', body: body as Report['body'] })

export const protobufOf = {
  cumulative: ['claude-cumulative-1', 'claude-cumulative-2'].map((name) => ({
    logs: bytesOf(`${name}-logs.bin`),
    metrics: bytesOf(`${name}-metrics.bin`),
  })),
  codex: gunzipSync(bytesOf('codex-logs.bin.gz')),
}

export const recorded = {
  delta: ['claude-delta-1', 'claude-delta-2'].flatMap((name) => [
    logs(jsonOf(`${name}-logs.json`)),
    metrics(jsonOf(`${name}-metrics.json`)),
  ]),
  cumulative: protobufOf.cumulative.flatMap((one) => [
    logs(protobufLogs.read(one.logs)),
    metrics(protobufMetrics.read(one.metrics)),
  ]),
  codex: [logs(jsonOf('codex-logs.json'))],
}

/** The provider's books: what it would have billed for each. */
export const books = {
  claude: { input: 19_077 + 19_124, output: 20 + 20, calls: 2 },
  codex: { input: 9_876, output: 20, calls: 1 },
}

const recordedAtMs = Date.parse('2026-11-19T00:47:00Z')

/** Returns reports as if they had been made lately, whenever the test runs. */
export function fresh(reports: readonly Report[], agoMs = 60 * 60_000): Report[] {
  const shiftMs = Date.now() - agoMs - recordedAtMs
  return JSON.parse(
    JSON.stringify(reports)
      .replace(/"((?:observedT|startT|t)imeUnixNano)":"([1-9]\d{18})"/g, (_all, name: string, nano: string) => {
        return `"${name}":"${BigInt(nano) + BigInt(shiftMs) * 1_000_000n}"`
      })
      .replace(/"stringValue":"(2026-11-19T[\d:.]+Z)"/g, (_all, at: string) => {
        return `"stringValue":"${new Date(Date.parse(at) + shiftMs).toISOString()}"`
      }),
  ) as Report[]
}

/** Takes reports apart, so that each has one record or one data point. */
export function atomsOf(reports: readonly Report[]): Report[] {
  return reports.flatMap(({ path, body }) => [
    ...(body.resourceLogs ?? []).flatMap(({ resource, scopeLogs }) =>
      (scopeLogs ?? []).flatMap(({ logRecords }) =>
        (logRecords ?? []).map((record) => ({
          path,
          body: { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] },
        })),
      ),
    ),
    ...(body.resourceMetrics ?? []).flatMap(({ resource, scopeMetrics }) =>
      (scopeMetrics ?? []).flatMap(({ metrics: all }) =>
        (all ?? []).flatMap((metric) => {
          const { dataPoints, ...about } = metric.sum as { dataPoints: unknown[] }
          return dataPoints.map((point) => ({
            path,
            body: {
              resourceMetrics: [
                { resource, scopeMetrics: [{ metrics: [{ ...metric, sum: { ...about, dataPoints: [point] } }] }] },
              ],
            },
          }))
        }),
      ),
    ),
  ])
}

/** Puts reports of one kind together again, in their order. */
export const merged = (reports: readonly Report[]): Report[] =>
  [...Map.groupBy(reports, ({ path }) => path)].map(([path, all]) => ({
    path,
    body: {
      resourceLogs: all.flatMap(({ body }) => body.resourceLogs ?? []),
      resourceMetrics: all.flatMap(({ body }) => body.resourceMetrics ?? []),
    },
  }))
