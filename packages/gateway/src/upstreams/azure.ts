import type { ProviderConfig } from '../config-schema.ts'
import { listedId, modelEdit, type Platform } from './platform.ts'

/**
 * Azure: models are deployments, whose names an operator chose. Where they are listed, a caller can name no other: the name of a deployment
 * says nothing of the model behind it, and so nothing of its price. Parameters of a caller's address end here.
 */
export const azurePlatform = ({ deployments, api_version: version }: ProviderConfig): Platform => ({
  idOf: (model) => (deployments === undefined ? model : listedId(deployments, model)),
  pathOf({ path }, id) {
    if (version === undefined) return `/openai${path}`
    const operation = path.replace(/^\/v1/, '')
    // Responses have no deployment in their address: the body names it.
    const place = operation.startsWith('/responses') ? '' : `/deployments/${encodeURIComponent(id)}`
    return `/openai${place}${operation}?api-version=${encodeURIComponent(version)}`
  },
  edits: modelEdit,
})
