import { anySchema, anyTool, isMembers, listOf, type Members, type Prompt, perMessage } from './prompts.ts'
import { asSpacedJson } from './tool-prompts.ts'

/** The bill of a request to Gemini: where a field is there in two spellings, the one counts that costs more. */

/** Returns the values of a field under both of its names. */
function valuesOf(value: unknown, name: string): unknown[] {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const keys = new Set([name, snake])
  return isMembers(value) ? [...keys].map((key) => value[key]).filter((one) => one !== undefined && one !== null) : []
}

function readParts(content: unknown, prompt: Prompt) {
  prompt.extra += perMessage
  for (const part of valuesOf(content, 'parts').flatMap(listOf)) {
    prompt.extra += 2
    if (valuesOf(part, 'inlineData').length > 0) prompt.images += 1
    for (const text of valuesOf(part, 'text')) prompt.texts.push(String(text))
    for (const name of ['functionCall', 'executableCode'])
      for (const value of valuesOf(part, name)) prompt.texts.push(asSpacedJson(value))
    for (const answer of valuesOf(part, 'functionResponse')) {
      for (const value of valuesOf(answer, 'response')) prompt.texts.push(asSpacedJson(value))
      readParts(answer, prompt)
    }
  }
}

export function readGemini(body: Members, prompt: Prompt) {
  for (const content of [...valuesOf(body, 'systemInstruction'), ...listOf(body['contents'])])
    readParts(content, prompt)
  const tools = valuesOf(body, 'tools').flatMap(listOf)
  const declared = tools.flatMap((tool) => valuesOf(tool, 'functionDeclarations').flatMap(listOf))
  prompt.tools.push(...declared)
  if (tools.length > 0) prompt.extra += anyTool
  for (const schema of valuesOf(body, 'generationConfig').flatMap((config) => valuesOf(config, 'responseSchema'))) {
    prompt.extra += anySchema
    prompt.tools.push(schema)
  }
}

export function readGeminiEmbeddings(body: Members, prompt: Prompt) {
  for (const request of [body, ...listOf(body['requests'])])
    for (const content of valuesOf(request, 'content')) readParts(content, prompt)
}

/** The most that each family thinks. */
const thinking: readonly (readonly [string, number])[] = [
  ['gemini-2.0', 0],
  ['gemini-2.5-flash', 24_576],
  ['gemini-2.5-pro', 32_768],
  ['', 65_536],
]

/** The longest output that a request allows, with thinking beside it. */
export function geminiOutput(body: Members, model: string): number {
  const configs = valuesOf(body, 'generationConfig')
  const largest = (values: readonly unknown[], otherwise: number) =>
    values.length === 0 ? otherwise : Math.max(...values.map(Number))
  const each = largest(
    configs.flatMap((config) => valuesOf(config, 'maxOutputTokens')),
    Number.POSITIVE_INFINITY,
  )
  const candidates = largest(
    configs.flatMap((config) => valuesOf(config, 'candidateCount')),
    1,
  )
  const budgets = configs
    .flatMap((config) => valuesOf(config, 'thinkingConfig'))
    .flatMap((config) => valuesOf(config, 'thinkingBudget'))
  const budget = largest(budgets, -1)
  const thought = budget >= 0 ? budget : (thinking.find(([prefix]) => model.startsWith(prefix))?.[1] ?? 0)
  return (each + 1 + thought) * candidates
}
