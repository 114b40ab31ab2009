import type { components, paths } from './api-types.ts'

/** The shapes of the API by name, as the reference shows them: `Schema<'StartInput'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Verb<M extends Method> = Lowercase<M>
type Has<Path extends keyof paths, M extends Method> =
  paths[Path] extends Record<Verb<M>, { responses: unknown }> ? Path : never

/** Paths of the API that have a method. */
export type PathWith<M extends Method> = { [Path in keyof paths]: Has<Path, M> }[keyof paths]

type Operation<M extends Method, Path extends keyof paths> = paths[Path] extends Record<Verb<M>, infer O> ? O : never
type Answers<O> = O extends { responses: infer R } ? R : never
type JsonOf<R> = R extends { content: { 'application/json': infer Data } }
  ? Data
  : R extends { content: Record<string, unknown> }
    ? string
    : undefined
type Successful = 200 | 201 | 202 | 204

/** The data of a successful answer. */
export type Result<M extends Method, Path extends keyof paths> = {
  [Status in keyof Answers<Operation<M, Path>> & Successful]: JsonOf<Answers<Operation<M, Path>>[Status]>
}[keyof Answers<Operation<M, Path>> & Successful]

/** The parameters of a query. */
export type Query<M extends Method, Path extends keyof paths> =
  Operation<M, Path> extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never

type PathParameters<O> = O extends { parameters: { path: infer P } }
  ? P extends Record<string, unknown>
    ? { readonly path: P }
    : { readonly path?: undefined }
  : { readonly path?: undefined }

type Body<O> = O extends { requestBody: { content: infer C } }
  ? { readonly body: BodyIn<C> }
  : O extends { requestBody?: { content: infer C } }
    ? { readonly body?: BodyIn<C> }
    : { readonly body?: undefined }
type BodyIn<C> = C extends { 'application/json': infer B } ? B : string

/** Settings of one request. */
export interface RequestSettings {
  /** Ends the request, its repetitions and the pauses between them. */
  readonly signal?: AbortSignal | undefined
  /** The name of the change: sent again under the same name it is made once. Each change has one of its own where none is given. */
  readonly idempotencyKey?: string | undefined
  /** Time for each attempt. */
  readonly timeoutMs?: number | undefined
  /** Repetitions after the first attempt. */
  readonly maxRetries?: number | undefined
  /** Makes the change only where the resource still has this `ETag`. */
  readonly ifMatch?: string | undefined
  /** Makes the change only where there is none yet, with `*`. */
  readonly ifNoneMatch?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What a request takes: the parameters of its path, of its query, and its body, each as the reference has it. */
export type RequestInput<M extends Method, Path extends keyof paths> = PathParameters<Operation<M, Path>> &
  Body<Operation<M, Path>> & { readonly query?: Query<M, Path> } & RequestSettings

/** Allows a call without input where nothing of it is required. */
export type InputArguments<Input> = object extends Input ? [input?: Input] : [input: Input]

/** Paths whose answer is a page of a list. */
export type ListPath = {
  [Path in PathWith<'GET'>]: Result<'GET', Path> extends { data: readonly unknown[]; next_cursor: unknown }
    ? Path
    : never
}[PathWith<'GET'>]

export type ListItem<Path extends keyof paths> =
  Result<'GET', Path> extends { data: readonly (infer Item)[] } ? Item : never
