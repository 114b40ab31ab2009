import { Counter, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { seriesCounter, seriesHistogram } from './series.ts'

const options = { name: 'some_seconds', help: 'Some.', labelNames: ['route', 'status'] as const, buckets: [0.1, 1] }
const values = [0.05, 0.1, 0.100_001, 1, 7]

/** Lines of an exposition, with their labels in order. */
async function linesOf(metrics: Registry): Promise<string[]> {
  const text = await metrics.metrics()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/\{(.*)\}/, (_all, labels: string) => `{${labels.split(',').sort().join(',')}}`))
    .sort()
}

test('a histogram exposes what that of the library does', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const seriesOf = seriesHistogram(ours, options)
  const histogram = new Histogram({ ...options, labelNames: [...options.labelNames], registers: [theirs] })
  for (const labels of [
    { route: '/a', status: 200 },
    { route: '/b', status: 503 },
  ]) {
    const series = seriesOf(labels)
    for (const value of values) {
      series.observe(value)
      histogram.observe(labels, value)
    }
  }
  expect(await linesOf(ours)).toEqual(await linesOf(theirs))
})

test('metrics without labels are there from the beginning, at zero', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  seriesHistogram(ours, { ...options, labelNames: [] })({})
  new Histogram({ name: options.name, help: options.help, buckets: options.buckets, registers: [theirs] })
  seriesCounter(ours, { name: 'some_total', help: 'Some.', labelNames: [] })({})
  new Counter({ name: 'some_total', help: 'Some.', registers: [theirs] })
  expect(await linesOf(ours)).toEqual(await linesOf(theirs))
})

test('a counter exposes what that of the library does', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const seriesOf = seriesCounter(ours, { name: 'some_total', help: 'Some.', labelNames: ['kind'] })
  const counter = new Counter({ name: 'some_total', help: 'Some.', labelNames: ['kind'], registers: [theirs] })
  for (const kind of ['a', 'b']) {
    const series = seriesOf({ kind })
    for (const amount of [1, 2, 0.5]) {
      series.add(amount)
      counter.inc({ kind }, amount)
    }
  }
  expect(await linesOf(ours)).toEqual(await linesOf(theirs))
})
