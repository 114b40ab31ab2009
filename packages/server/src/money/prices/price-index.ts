import { normalName } from './model-names.ts'
import type { PriceEntry } from './price-entry.ts'

/** The entries of one model at one provider, newest first. */
export type Timeline = readonly PriceEntry[]

/** Entries by the normal names of model and provider. */
export type Index = ReadonlyMap<string, ReadonlyMap<string, Timeline>>

export function indexed(entries: readonly PriceEntry[]): Index {
  const index = new Map<string, Map<string, PriceEntry[]>>()
  for (const entry of entries.toSorted((a, b) => b.effectiveFromMs - a.effectiveFromMs)) {
    const [model, provider] = [normalName(entry.model), normalName(entry.provider)]
    const ofModel = index.get(model) ?? new Map<string, PriceEntry[]>()
    const timeline = ofModel.get(provider) ?? []
    timeline.push(entry)
    index.set(model, ofModel.set(provider, timeline))
  }
  return index
}
