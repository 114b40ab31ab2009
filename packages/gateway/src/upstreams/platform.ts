import type { JsonObject, RequestHeaders } from '../dialects/dialect.ts'
import type { Edit } from '../values/json-text.ts'

/** One operation of a provider. */
export interface Target {
  /** The path, as the dialect has it. */
  readonly path: string
  readonly query: string
  /** The model, as the configuration names it. */
  readonly model: string
  readonly stream: boolean
}

/** The ways of one kind of provider: its names of models, its paths, and its form of a request. */
export interface Platform {
  /** Returns the id of a model there; undefined for a model that may not be asked for. */
  idOf(model: string): string | undefined
  /** Returns the path of an operation; undefined where the provider does not have it. */
  pathOf(target: Target, id: string): string | undefined
  /** Returns what is to be changed in the body of a request. */
  edits(body: JsonObject, id: string, target: Target, headers: RequestHeaders): Edit[]
  /** Returns the model as prices name it; without this it is the name in the configuration. */
  pricedName?(model: string, id: string): string
  /** Returns the message of an error in a form of the provider's own; undefined for one that has the form of the model's maker. */
  readonly errorMessage?: (body: JsonObject) => string | undefined
}

/** Writes the model into a body that names another. */
export const modelEdit = (body: JsonObject, id: string): Edit[] =>
  body['model'] === id ? [] : [{ path: ['model'], value: id }]

/** Most providers: models, paths and bodies are as the caller has them. */
export const plainPlatform: Platform = {
  idOf: (model) => model,
  pathOf: ({ path, query }) => path + query,
  edits: modelEdit,
}

/** Returns the id of a model by a list of them; what is not listed may not be asked for. */
export const listedId = (ids: Readonly<Record<string, string>>, model: string): string | undefined =>
  Object.hasOwn(ids, model) ? ids[model] : undefined
