import type { AwsCredential, GatewayConfig, ModelConfig, ProviderConfig } from './config-schema.ts'

/** Fields that only some kinds of providers have. */
const fieldsOfKinds = {
  deployments: ['azure'],
  api_version: ['azure'],
  region: ['bedrock-anthropic', 'vertex-anthropic', 'vertex-gemini'],
  project: ['vertex-anthropic', 'vertex-gemini'],
  model_ids: ['bedrock-anthropic', 'vertex-anthropic', 'vertex-gemini'],
} as const satisfies Partial<Record<keyof ProviderConfig, readonly ProviderConfig['kind'][]>>

/** Fields that a cloud needs. All others need an address. */
const cloudFields: Partial<Record<ProviderConfig['kind'], readonly (keyof ProviderConfig)[]>> = {
  'bedrock-anthropic': ['region', 'model_ids'],
  'vertex-anthropic': ['region', 'project', 'model_ids'],
  'vertex-gemini': ['region', 'project', 'model_ids'],
}

/** True for keys of Amazon that are all there, in one of the two ways. */
const isWhole = ({ access_key_id: id, secret_access_key: secret, session_token: session, exported }: AwsCredential) =>
  exported === undefined
    ? id !== undefined && secret !== undefined
    : id === undefined && secret === undefined && session === undefined

/** Says what a provider has that its kind does not know, lacks, or cannot be. */
export function kindFaults(provider: ProviderConfig, place: string): string[] {
  const { kind, credential } = provider
  const others = Object.entries(fieldsOfKinds).flatMap(([field, kinds]) =>
    provider[field as keyof ProviderConfig] === undefined || kinds.some((one) => one === kind)
      ? []
      : [`${place}.${field} is for ${kinds.join(', ')} only`],
  )
  const needed = cloudFields[kind]
  const missing = (needed ?? (['base_url'] as const)).flatMap((field) =>
    provider[field] === undefined ? [`${place}.${field} is missing: ${kind} needs it`] : [],
  )
  return [
    ...others,
    ...missing,
    ...(needed !== undefined && provider.on_client_gone === 'abort'
      ? [`${place}.on_client_gone cannot be abort: ${kind} bills an answer to its end`]
      : []),
    ...(needed !== undefined && 'client' in credential
      ? [`${place}.credential cannot be the caller's: ${kind} is reached with the gateway's own`]
      : []),
    ...('aws' in credential && kind !== 'bedrock-anthropic'
      ? [`${place}.credential.aws is for bedrock-anthropic only`]
      : []),
    ...('aws' in credential && !isWhole(credential.aws)
      ? [`${place}.credential.aws must have access_key_id and secret_access_key, or exported, and not both`]
      : []),
    ...('google' in credential && kind !== 'vertex-anthropic' && kind !== 'vertex-gemini'
      ? [`${place}.credential.google is for vertex-anthropic, vertex-gemini only`]
      : []),
  ]
}

/** Says which provider of a model lists its models, and not this one: every call of it would be refused there. */
export const unservedFaults = (model: ModelConfig, place: string, providers: GatewayConfig['providers']): string[] =>
  'alias' in model || !('name' in model)
    ? []
    : [model.provider, ...(model.fallback ?? [])].flatMap((name) => {
        const provider = name === undefined ? undefined : providers[name]
        const listed = provider?.deployments ?? provider?.model_ids
        return listed === undefined || Object.hasOwn(listed, model.name)
          ? []
          : [`${place}: ${model.name} is not among the models of the provider ${name}`]
      })
