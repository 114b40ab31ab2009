import type { ProviderConfig } from '../config-schema.ts'
import type { JsonObject, RequestHeaders } from '../dialects/dialect.ts'
import type { Edit } from '../values/json-text.ts'
import { listedId, type Platform } from './platform.ts'

const version = 'bedrock-2023-05-31'

/**
 * Anthropic's models on Amazon Bedrock. The address names the model and whether the answer is streamed, so the body does not; betas stand in
 * the body. The id of a model also says in which regions it runs, so only configured ones are ever written into an address.
 */
export const bedrockPlatform = ({ model_ids: ids = {} }: ProviderConfig): Platform => ({
  idOf: (model) => listedId(ids, model),
  pathOf: ({ path, stream }, id) =>
    path === '/v1/messages'
      ? `/model/${encodeURIComponent(id)}/${stream ? 'invoke-with-response-stream' : 'invoke'}`
      : undefined,
  edits: (body, _id, _target, headers) => [
    ...['model', 'stream'].flatMap((field): Edit[] => (field in body ? [{ path: [field], value: undefined }] : [])),
    ...versionEdit(body, version),
    ...betaEdit(body, headers),
  ],
  pricedName: (model, id) => (id.startsWith('arn:') ? model : id),
  errorMessage: ({ message }) => (typeof message === 'string' ? message : undefined),
})

/** Writes the version by which a cloud knows the form of a request. */
export const versionEdit = (body: JsonObject, wanted: string): Edit[] =>
  body['anthropic_version'] === wanted ? [] : [{ path: ['anthropic_version'], value: wanted }]

/** Writes the betas of the header into the body, where Bedrock looks for them. */
function betaEdit(body: JsonObject, headers: RequestHeaders): Edit[] {
  const asked = headers['anthropic-beta']
  if (asked === undefined || 'anthropic_beta' in body) return []
  const betas = String(asked)
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '')
  return betas.length === 0 ? [] : [{ path: ['anthropic_beta'], value: betas }]
}
