import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dialect } from '../dialects/dialect.ts'
import { dialectNamed } from '../dialects/dialects.ts'
import { clientKindOf } from '../refusals/client-kinds.ts'
import { sendRefusal } from './call.ts'
import { callerRefusal } from './checked-caller.ts'
import type { GatewayParts } from './gateway-parts.ts'

/** Serves the list of configured models, in the form of the path, or in Anthropic's where the caller speaks that. */
export async function serveModels(
  parts: GatewayParts,
  request: IncomingMessage,
  response: ServerResponse,
  ofPath: Dialect | undefined,
) {
  const byHeader = request.headers['anthropic-version'] === undefined ? 'chat' : 'messages'
  const dialect = ofPath ?? dialectNamed(byHeader)
  const refusal = await callerRefusal(parts, request)
  if (refusal) {
    sendRefusal(parts, refusal, dialect, clientKindOf(request.headers), response)
    return
  }
  const text = JSON.stringify((forms[dialect.name] ?? openaiList)(parts))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
}

const forms: Partial<Record<Dialect['name'], (parts: GatewayParts) => object>> = {
  messages: anthropicList,
  gemini: geminiList,
}

function anthropicList({ models }: GatewayParts) {
  const names = models.names()
  return {
    data: names.map((id) => ({ type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' })),
    has_more: false,
    first_id: names[0] ?? null,
    last_id: names.at(-1) ?? null,
  }
}

const openaiList = ({ models }: GatewayParts) => ({
  object: 'list',
  data: models
    .names()
    .map((id) => ({ id, object: 'model', created: 0, owned_by: models.find(id)?.providers[0] ?? 'weir' })),
})

/** The models that Gemini's dialect reaches. */
function geminiList({ models, upstreams }: GatewayParts) {
  const found = models.names().flatMap((id) => {
    const model = models.find(id)
    const kind = upstreams.get(model?.providers[0] ?? '')?.config.kind
    return model !== undefined && kind !== undefined && dialectNamed('gemini').kinds.includes(kind)
      ? [{ id, model }]
      : []
  })
  return {
    models: found.map(({ id, model }) => ({
      name: `models/${id}`,
      displayName: id,
      inputTokenLimit: model.contextTokens,
      outputTokenLimit: model.maxOutputTokens,
      supportedGenerationMethods: id.includes('embedding')
        ? ['embedContent', 'batchEmbedContents']
        : ['generateContent', 'streamGenerateContent', 'countTokens'],
    })),
  }
}
