import { type Content, html, nothing } from '../components/components.ts'

/** Path of the page of routing. */
export const routingPath = '/console/routing'

/** Ways in which a route chooses, in words. */
export const strategies: Readonly<Record<string, string>> = {
  cheapest: 'The cheapest that passes',
  fastest: 'The fastest that passes',
  best: 'The one with the best score',
  weighted: 'By weight',
}

/** A model with its provider. */
export const namedModel = (model: string, provider: string | null): Content =>
  html`<code>${model}</code>${provider === null ? nothing : ` at ${provider}`}`
