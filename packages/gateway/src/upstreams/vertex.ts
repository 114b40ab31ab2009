import type { ProviderConfig } from '../config-schema.ts'
import { isObject } from '../dialects/fields.ts'
import type { Edit } from '../values/json-text.ts'
import { versionEdit } from './bedrock.ts'
import { listedId, modelEdit, type Platform } from './platform.ts'

const version = 'vertex-2023-10-16'

/** Returns what stands before the publisher in an address of Vertex AI. */
export const vertexPlace = ({ project = '', region = '' }: Pick<ProviderConfig, 'project' | 'region'>): string =>
  `/v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(region)}`

/**
 * Anthropic's models on Google's Vertex AI. The address names project, region and model, all of them as they are configured; the body says
 * whether the answer is streamed, as the address does.
 */
export function vertexPlatform({ model_ids: ids = {}, ...provider }: ProviderConfig): Platform {
  const place = vertexPlace(provider)
  const addressOf = (id: string, operation: string) =>
    `${place}/publishers/anthropic/models/${encodeURIComponent(id).replaceAll('%40', '@')}:${operation}`
  return {
    idOf: (model) => listedId(ids, model),
    pathOf({ path, stream }, id) {
      if (path === '/v1/messages') return addressOf(id, stream ? 'streamRawPredict' : 'rawPredict')
      return path === '/v1/messages/count_tokens' ? addressOf('count-tokens', 'rawPredict') : undefined
    },
    edits(body, id, { path, stream }) {
      const isCount = path !== '/v1/messages'
      const model: Edit[] = 'model' in body ? [{ path: ['model'], value: undefined }] : []
      const isSaid = (body['stream'] ?? false) === stream
      return [
        ...(isCount ? modelEdit(body, id) : model),
        ...(isCount || isSaid ? [] : [{ path: ['stream'], value: stream } as Edit]),
        ...versionEdit(body, version),
      ]
    },
    pricedName: (_model, id) => id,
    errorMessage: ({ type, error }) => {
      const message = isObject(error) ? error['message'] : undefined
      return type !== 'error' && typeof message === 'string' ? message : undefined
    },
  }
}
