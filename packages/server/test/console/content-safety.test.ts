import { expect, test } from 'vitest'
import { useConsole, visitAsMember } from '../support/console.ts'

const { server, tenant, owner, ask } = useConsole()

const path = '/console/content-safety'
const stored = async () => (await ask('GET', '/content-safety')).json
const saved = (fields: Record<string, string>) => owner.postForm(path, fields, path)

test('settings are saved as the form says, patterns with spaces included', async () => {
  const answer = await saved({
    mode_card_number: 'block',
    threshold_card_number: '1',
    mode_email: 'alert',
    threshold_email: '3',
    patterns: 'project_codes block 1 \\bZEUS \\d{4}\\b',
    allow_list: '@example.com',
  })
  expect(answer.location).toBe(`${path}?done=changed`)
  expect(await stored()).toMatchObject({
    detectors: { card_number: { mode: 'block', threshold: 1 }, email: { mode: 'alert', threshold: 3 } },
    patterns: [{ name: 'project_codes', mode: 'block', threshold: 1, pattern: '\\bZEUS \\d{4}\\b' }],
    allow_list: ['@example.com'],
  })
})

test('a form that is sent as it is shown changes nothing', async () => {
  const { updated_at: _before, ...before } = await stored()
  expect((await saved({})).status).toBe(303)
  expect(await stored()).toMatchObject(before)
})

test('a text is judged by the saved settings, and what it holds is shown as text', async () => {
  await saved({ mode_card_number: 'block', threshold_card_number: '1' })
  const input = '<script>1</script> Charge 4111 1111 1111 1111.'
  const found = await owner.postForm(path, { input }, `${path}/test`)
  expect(found.status).toBe(200)
  expect(found.text).toContain('would be refused by Card number')
  expect(found.html).not.toContain('<script>1</script>')
  const clean = await owner.postForm(path, { input: 'Good morning.' }, `${path}/test`)
  expect(clean.text).toContain('would not be refused')
})

test('a refused form comes back with the message at its field', async () => {
  const refused = await saved({ mode_email: 'alert', threshold_email: 'many', patterns: 'bad block 1 (' })
  expect(refused.status).toBe(422)
  expect(refused.html).toMatch(/id="f-threshold_email"[^>]*aria-invalid="true"/)
  expect(refused.forms.find(({ action }) => action === path)?.fields).toMatchObject({ patterns: 'bad block 1 (' })
})

test('a viewer reads the settings, and is refused changes and try-outs', async () => {
  const viewer = await visitAsMember(server.url, tenant, 'viewer')
  const page = await viewer.openConsole(path)
  expect(page.text).toContain('Card number')
  expect(page.forms.filter(({ method }) => method === 'post')).toEqual([])
  expect((await viewer.postUnseen(path, { mode_email: 'off', threshold_email: '1' })).status).toBe(403)
  expect((await viewer.postUnseen(`${path}/test`, { input: 'x' })).status).toBe(403)
})
