import type { ProviderConfig } from '../config-schema.ts'
import { listedId, type Platform } from './platform.ts'
import { vertexPlace } from './vertex.ts'

/**
 * Gemini on Vertex AI, for callers that speak Gemini's own API: the same requests at other addresses. Counts and embeddings have another form
 * there, and are not offered.
 */
export const vertexGeminiPlatform = ({ model_ids: ids = {}, ...provider }: ProviderConfig): Platform => ({
  idOf: (model) => listedId(ids, model),
  pathOf({ path, query }, id) {
    const [, operation] = /:(generateContent|streamGenerateContent)$/.exec(path) ?? []
    return operation === undefined
      ? undefined
      : `${vertexPlace(provider)}/publishers/google/models/${encodeURIComponent(id)}:${operation}${query}`
  },
  // The address alone names the model.
  edits: (body) => ('model' in body ? [{ path: ['model'], value: undefined }] : []),
  pricedName: (_model, id) => id,
})
