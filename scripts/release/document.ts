/** The parts of an OpenAPI document that the release checks read; whatever else it holds is kept as it is. */

export type Schema = { readonly [keyword: string]: unknown }

interface Content {
  readonly [mediaType: string]: { readonly schema?: Schema }
}

export interface Header {
  readonly schema?: Schema
}

export interface Response {
  readonly content?: Content
  readonly headers?: Readonly<Record<string, Header>>
  readonly 'x-error-codes'?: readonly string[]
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: Schema
}

export interface Operation {
  readonly operationId?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: Content }
  readonly responses?: Readonly<Record<string, Response>>
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly 'x-scope'?: unknown
}

export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

export type PathItem = { readonly [method in (typeof methods)[number]]?: Operation } & {
  readonly parameters?: readonly Parameter[]
}

export interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, PathItem>>
  readonly security?: Operation['security']
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>
    readonly securitySchemes?: Readonly<Record<string, Schema>>
    readonly headers?: Readonly<Record<string, Header>>
  }
}
