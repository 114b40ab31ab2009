import { arrayOf, isObject } from '../dialects/fields.ts'
import type { Edit } from '../values/json-text.ts'
import type { Platform } from './platform.ts'

/** Gemini: the path names the model. The body may repeat it, and each request of a batch does. */
export const geminiPlatform: Platform = {
  idOf: (model) => model,
  pathOf: ({ path, query }, id) => path.replace('{model}', encodeURIComponent(id)) + query,
  edits: (body, id) => [
    ...renamed(body, id, []),
    ...['generateContentRequest', 'generate_content_request'].flatMap((key) => renamed(body[key], id, [key])),
    ...arrayOf(body['requests']).flatMap((request, i) => renamed(request, id, ['requests', String(i)])),
  ],
}

/** Writes the model into an object that names another. */
function renamed(value: unknown, id: string, [first, ...rest]: readonly string[]): Edit[] {
  const name = isObject(value) ? value['model'] : undefined
  if (name === undefined || name === id || name === `models/${id}`) return []
  const path: Edit['path'] = first === undefined ? ['model'] : [first, ...rest, 'model']
  return [{ path, value: `models/${id}` }]
}
