import type { Random } from '../support/random.ts'
import { functionOf, type Maker, type Members, maximum, pixels, said, schemaOf } from './request-parts.ts'
import { textOf } from './texts.ts'

/** Requests to Gemini, whose fields have two spellings each. */

export const geminiModels = {
  gemini: ['gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-3-flash-preview', 'gemini-2.0-flash', 'gemini-unheard-of'],
  'gemini-embeddings': ['gemini-embedding-001', 'gemini-embedding-2'],
} as const

/** Writes the names of fields in one of their spellings, at times in both or in none that is right. */
function spell(random: Random, object: Members): Members {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      if (random.chance(0.01)) return [[random.pick([name.toLowerCase(), snake.toUpperCase()]), value] as const]
      if (random.chance(0.01) && typeof value === 'number') return [[name, 1] as const, [snake, value] as const]
      return [[random.chance(0.5) ? name : snake, value] as const]
    }),
  )
}

const part = (random: Random, depth = 0): Members =>
  spell(
    random,
    random.pick<() => Members>([
      () => ({ text: said(random, 150) }),
      () => ({ text: said(random, 150), thought: true, thoughtSignature: 'QUJD' }),
      () => ({ functionCall: { name: 'f', args: { a: textOf(random, 60), b: random.list(9, (i) => i % 10) } } }),
      () => ({
        functionResponse: {
          name: 'f',
          response: { a: said(random, 80) },
          ...(depth === 0 && random.members(0.3, { parts: () => random.list(2, () => picture(random)) })),
        },
      }),
      () => picture(random),
      () => ({ executableCode: { language: 'PYTHON', code: textOf(random, 80) } }),
    ])(),
  )

const picture = (random: Random): Members => ({
  inlineData: spell(random, { mimeType: random.pick(['image/png', 'image/webp']), data: random.pick(pixels) }),
})

const content = (random: Random): Members => ({
  ...random.members(0.8, { role: () => random.pick(['user', 'model']) }),
  parts: random.list(4, () => part(random)),
})

const config = (random: Random): Members =>
  spell(random, {
    ...random.members(0.6, { maxOutputTokens: () => maximum(random) }),
    ...random.members(0.2, {
      candidateCount: () => random.between(1, 8),
      responseSchema: () => schemaOf(random),
      responseMimeType: () => 'application/json',
      temperature: () => 0.5,
      stopSequences: () => random.list(3, () => textOf(random, 6)),
    }),
    ...random.members(0.4, {
      thinkingConfig: () =>
        spell(random, random.members(0.8, { thinkingBudget: () => random.pick([-1, 0, 1, 512, 24_576, 100_000]) })),
    }),
  })

export const geminiRequest: Maker = (random) =>
  spell(random, {
    contents: random.list(6, () => content(random)),
    ...random.members(0.8, { generationConfig: () => config(random) }),
    ...random.members(0.25, {
      systemInstruction: () => ({ parts: [{ text: textOf(random, 200) }] }),
      tools: () =>
        random.list(3, () => spell(random, { functionDeclarations: random.list(3, (i) => functionOf(random, i)) })),
    }),
  })

const embedded = (random: Random): Members => spell(random, { content: { parts: [{ text: textOf(random, 300) }] } })

export const geminiEmbeddings: Maker = (random) =>
  random.chance(0.5) ? embedded(random) : { requests: random.list(40, () => embedded(random)) }
