import { baseName, namesOf, normalName, providerName } from '../../money/prices/prices.ts'
import type { Biller } from './bill-lines.ts'

/** Words of models that a provider makes: runs that name no provider are taken to be its own. */
const makes: Readonly<Record<Biller, RegExp>> = {
  openai: /^(gpt|chatgpt|o\d|text-embedding|tts|whisper|dall-e|omni|codex|davinci|babbage|computer-use|sora|ft-)/,
  anthropic: /^claude/,
}

/**
 * Returns the name under which a model of a bill and one of runs are compared: without provider and version, words of Claude's names before
 * its numbers (`claude-3-7-sonnet` is `Claude Sonnet 3.7`), a fine-tuned model by the model that was tuned.
 */
export function modelKey(name: string): string {
  const plain = normalName(name).replaceAll(/[ ]/g, '-')
  const tuned = /^ft[:-]([^:]+)/.exec(plain)?.[1]
  if (tuned !== undefined) return `ft-${baseName(tuned)}`
  const base = baseName(plain)
  if (!base.startsWith('claude')) return base
  const parts = base.replaceAll('.', '-').split('-').filter(Boolean)
  const [words, numbers] = [parts.filter((part) => !/^\d/.test(part)), parts.filter((part) => /^\d/.test(part))]
  return [...words, ...numbers].join('-')
}

/** True for runs that a provider bills: those that name it, and those that name nobody but one of its models. */
export function isBilledBy(biller: Biller, model: string, provider: string): boolean {
  const named =
    provider ||
    (namesOf(model, '')
      .map((name) => name.provider)
      .find(Boolean) ??
      '')
  return named === '' ? makes[biller].test(modelKey(model)) : providerName(named) === biller
}
