import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RequestFault } from '../src/dialects/dialect.ts'
import { gemini } from '../src/dialects/gemini.ts'
import { geminiAsked } from '../src/practice/gemini.ts'
import { applyEdits } from '../src/values/json-text.ts'

const contents = [{ parts: [{ text: 'hi' }] }]
const granted = 77
const provider = { kind: 'gemini', base_url: 'https://x', credential: { none: true } } as const

/** Reads a request, and returns it as the provider gets it; undefined where it is refused. */
function sent(body: object) {
  const text = JSON.stringify(body)
  try {
    const asked = gemini.analyse(JSON.parse(text), { model: 'gemini-2.5-flash' })
    const edited = applyEdits(text, gemini.edits(asked, granted, provider, []))
    return { asked, body: JSON.parse(edited) as Record<string, unknown> }
  } catch (error) {
    if (error instanceof RequestFault) return undefined
    throw error
  }
}

/** Some of the ways to write the name of a field. */
const spellings = (name: string) => {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return fc.constantFrom(name, snake, name.toLowerCase(), snake.toUpperCase(), `${snake}_`, `_${name}`)
}
const values = fc.oneof(
  fc.integer({ min: 1, max: 100_000 }),
  fc.constantFrom(null, '5', 1.5, -1, 0, 1e300, true, [7], {}),
)
const members = <T>(name: string, value: fc.Arbitrary<T>) => fc.tuple(spellings(name), value)
const configs = fc
  .array(fc.oneof(members('maxOutputTokens', values), members('candidateCount', values)), { maxLength: 4 })
  .map((pairs) => Object.fromEntries(pairs))
const bodies = fc
  .array(members('generationConfig', fc.oneof(configs, fc.constant(null))), { maxLength: 2 })
  .map((pairs) => ({ ...Object.fromEntries(pairs), contents }))

test('whatever the spellings, the provider reads the maximum that was granted and the answers that were held, or nothing', () => {
  let admitted = 0
  fc.assert(
    fc.property(bodies, (body) => {
      const request = sent(body)
      if (request === undefined) return
      admitted += 1
      expect(geminiAsked(request.body)).toEqual({ maxOutput: granted, choices: request.asked.choices })
    }),
    { numRuns: 5_000 },
  )
  expect(admitted).toBeGreaterThan(50)
})

test.each([
  ['camel case', { generationConfig: { maxOutputTokens: 5 } }],
  ['underscores', { generation_config: { max_output_tokens: 5 } }],
  ['both, each once', { generation_config: { maxOutputTokens: 5 } }],
])('a maximum keeps its spelling: %s', (_, config) => {
  const text = JSON.stringify(config).replace('5', '77')
  expect(sent({ ...config, contents })?.body).toEqual({ ...JSON.parse(text), contents })
})

test.each([
  ['a file', { file_data: { file_uri: 'https://x' } }],
  ['a video', { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }],
  ['a document', { inline_data: { mime_type: 'application/pdf', data: 'AAAA' } }],
  ['an image of as many tokens as the caller says', { mediaResolution: { numTokens: 99_999 } }],
  ['what a function has returned', { functionResponse: { parts: [{ fileData: { fileUri: 'https://x' } }] } }],
  ['something new', { hologram: {} }],
])('content of unknown length counts as the context window: %s', (_, part) => {
  expect(sent({ contents: [{ parts: [part] }] })?.asked.references).toHaveLength(1)
})

test('an image counts as one, and its bytes are no text', () => {
  const image = { inline_data: { mime_type: 'image/png', data: 'iVBORw0KGgo=' } }
  const { asked } = sent({ contents: [{ parts: [image, { text: 'what is it?' }] }] })!
  expect([asked.images, [...asked.media], asked.references]).toEqual([1, ['iVBORw0KGgo='], []])
})

test('every tool but functions is one that Google runs', () => {
  const tools = [
    { function_declarations: [{ name: 'f' }] },
    { google_search: {}, code_execution: {} },
    { telepathy: {} },
  ]
  const { asked } = sent({ contents, tools })!
  expect(asked.serverTools.map(({ type }) => type)).toEqual(['googleSearch', 'codeExecution', 'telepathy'])
})
