import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { secret } from '../../values/secret.ts'
import { createLog } from './log.ts'
import { withinTrace } from './trace.ts'

function capture() {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString())
      done()
    },
  })
  return { lines, log: createLog({ level: 'trace', role: 'test' }, stream) }
}

test('secrets do not reach the log by any of the usual ways', () => {
  const { lines, log } = capture()
  const canary = 'c4n4ry'
  log.info({ authorization: `Bearer ${canary}` }, 'field')
  log.info({ headers: { authorization: `Bearer ${canary}`, cookie: `session=${canary}` } }, 'nested')
  log.info({ request: { headers: { authorization: canary } } }, 'nested twice')
  log.info({ password: canary, secret: canary, pepper: canary }, 'names')
  log.info({ url: secret(`postgres://weir:${canary}@db/weir`) }, 'wrapped')
  log.info(`connecting to postgres://weir:${canary}@db/weir`)
  log.info(`redis://:${canary}@cache:6379 is away`)
  log.error({ error: new Error(`bad url postgres://weir:${canary}@db/weir`) }, 'inside an error')
  log.error({ error: new Error('outer', { cause: new Error(`key weir_abc_${canary} refused`) }) }, 'inside a cause')
  log.info(`Authorization: Bearer ${canary}${canary}`)
  log.error(
    {
      error: Object.assign(new Error('duplicate key'), {
        code: '23505',
        detail: `Key (email)=(${canary}) already exists.`,
      }),
    },
    'row values',
  )
  expect(lines).toHaveLength(11)
  expect(lines.filter((line) => line.includes(canary))).toEqual([])
  expect(lines.join('')).toContain('duplicate key')
})

test('every line within a trace has its id', () => {
  const { lines, log } = capture()
  withinTrace({ id: 'a'.repeat(32) }, () => log.info('inside'))
  log.info('outside')
  expect(lines.map((line) => (JSON.parse(line) as { trace_id?: string }).trace_id)).toEqual(['a'.repeat(32), undefined])
})

test('an error keeps its cause, code and stack', () => {
  const { lines, log } = capture()
  log.error(
    { error: new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'ECONNREFUSED' }) }) },
    'failed',
  )
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 'error',
    message: 'failed',
    error: {
      message: 'outer',
      stack: expect.stringContaining('log.test.ts'),
      cause: { message: 'inner', code: 'ECONNREFUSED' },
    },
  })
})
