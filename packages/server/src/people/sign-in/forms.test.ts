import fastify from 'fastify'
import { expect, test } from 'vitest'
import { fileFormParser, formParser, maxConsoleFormBytes, maxFileFormBytes } from './forms.ts'

const app = fastify({ bodyLimit: maxFileFormBytes })
app.removeAllContentTypeParsers()
formParser(app, maxConsoleFormBytes)
fileFormParser(app)
app.post('/', async ({ body }) => body)

const urlEncoded = (payload: string) =>
  app.inject({
    method: 'POST',
    url: '/',
    payload,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
const multipart = (parts: readonly string[]) =>
  app.inject({
    method: 'POST',
    url: '/',
    payload: `${parts.map((part) => `--edge\r\n${part}\r\n`).join('')}--edge--\r\n`,
    headers: { 'content-type': 'multipart/form-data; boundary=edge' },
  })
const fieldPart = (name: string, value: string) => `content-disposition: form-data; name="${name}"\r\n\r\n${value}`

test('a field that is sent several times becomes a list, in order', async () => {
  const answer = await urlEncoded('a=1&b=2&a=3&a=')
  expect(answer.json()).toEqual({ a: ['1', '3', ''], b: '2' })
})

test('a form of as many names as fit does not hold the process up', async () => {
  let payload = ''
  for (let i = 0; payload.length < maxConsoleFormBytes - 8; i++) payload += `${i.toString(36)}&`
  const before = process.threadCpuUsage()
  expect(Object.keys((await urlEncoded(payload)).json()).length).toBeGreaterThan(10_000)
  // It took 11 s when each name was looked for in the whole form.
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(2_000)
})

test('a form without a file is no longer than other forms, also where a file may come', async () => {
  expect((await urlEncoded(`a=${'x'.repeat(maxConsoleFormBytes)}`)).statusCode).toBe(413)
})

test('a form with a file has its fields and the text of the file', async () => {
  const file =
    'content-disposition: form-data; name="upload"; filename="a.json"\r\ncontent-type: application/json\r\n\r\n{}'
  const answer = await multipart([fieldPart('csrf_token', 'abc'), file])
  expect(answer.json()).toEqual({ csrf_token: 'abc', upload: '{}' })
})

test.each([
  ['very many parts', Array.from({ length: 101 }, (_, i) => fieldPart(`f${i}`, ''))],
  ['a part with very many headers', [`${'a: b\r\n'.repeat(500)}${fieldPart('csrf_token', 'abc')}`]],
  ['a part with a very long name', [fieldPart('n'.repeat(3_000), 'abc')]],
])('a form with %s is not read', async (_name, parts) => {
  expect((await multipart(parts)).json()).toEqual({})
})
