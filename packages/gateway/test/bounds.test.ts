import { expect, test } from 'vitest'
import { vocabularies } from '../proofs/bounds/bill.ts'
import { hunt, judge, plants } from '../proofs/bounds/bounds.ts'
import type { GeneratedRequest } from '../proofs/bounds/requests.ts'
import { textOf } from '../proofs/bounds/texts.ts'
import { Random } from '../proofs/support/random.ts'

const seed = Number(process.env['WEIR_SEED'] ?? Math.floor(Math.random() * 1_000_000))

test('no generated request can be billed above its hard bound', () => {
  const { hard, byDialect, overruns } = hunt(seed, 2_000)
  expect(overruns).toEqual([])
  expect(hard).toBeGreaterThan(1_500)
  expect(Object.keys(byDialect).toSorted()).toEqual([
    'chat',
    'completions',
    'embeddings',
    'gemini',
    'gemini-embeddings',
    'messages',
    'responses',
  ])
})

test('no token of a vocabulary stands for less than a byte', () => {
  const random = new Random(seed)
  for (let i = 0; i < 1_000; i += 1) {
    const text = textOf(random)
    for (const count of Object.values(vocabularies)) expect(count(text)).toBeLessThanOrEqual(Buffer.byteLength(text))
  }
})

test.each(Object.entries(plants))('the hunt would find %s', (_, plant) => {
  let found = 0
  for (let at = 1; found === 0 && at < 2_000; at += 50) found = hunt(at, 50, plant).overruns.length
  expect(found).toBeGreaterThan(0)
})

const message = { role: 'user', content: 'hi' }
const grown = '\ufdfa'.repeat(2_000)
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4_000)}` } }

/** Requests that were once held too low. */
test.each<[string, GeneratedRequest['dialect'], object]>([
  [
    'digits, which are written with more around them than JSON has',
    'chat',
    {
      messages: [message],
      tools: [
        {
          type: 'function',
          function: { name: 'f', parameters: { enum: Array.from({ length: 4_000 }, (_, i) => i % 10) } },
        },
      ],
    },
  ],
  [
    'tools that the provider defines',
    'messages',
    {
      messages: [message],
      max_tokens: 9,
      tools: ['bash_20250124', 'text_editor_20250728', 'computer_20250124'].map((type) => ({ type, name: 'x' })),
    },
  ],
  ['an echo of a text that grows', 'completions', { prompt: grown, echo: true, max_tokens: 1 }],
  ['a prediction that grows', 'chat', { messages: [message], prediction: { type: 'content', content: grown } }],
  [
    'the bytes of an image said again as text',
    'chat',
    {
      messages: [
        {
          role: 'user',
          content: [
            image,
            ...Array.from({ length: 9 }, () => ({ type: 'text', text: image.image_url.url })),
            { type: 'text', text: grown },
          ],
        },
      ],
    },
  ],
])('the bound covers %s', (_, dialect, body) => {
  const model = dialect === 'messages' ? 'claude-opus-4-8' : 'gpt-4o'
  const finding = judge({ dialect, text: JSON.stringify({ model, ...body }) }, new Random(1))
  expect(finding).toMatchObject({ kind: 'hard', overrun: undefined })
})
