import { type Static, Type } from 'typebox'

/** The form of the configuration file. What a field means is said where it stands. */

const strict = { additionalProperties: false }
const Text = (description: string) => Type.String({ minLength: 1, description })
const Count = (description: string, minimum = 1) =>
  Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER, description })
const Seconds = (description: string) => Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description })

const secretSources = {
  env: Type.Optional(Text('The environment variable that holds it.')),
  file: Type.Optional(Text('The file that holds it; it is read again when it changes.')),
}
const Secret = Type.Object(secretSources, {
  ...strict,
  description: 'Where a secret is: it never stands in this file.',
})
export type SecretSource = Static<typeof Secret>

const AwsCredential = Type.Object(
  {
    access_key_id: Type.Optional(Secret),
    secret_access_key: Type.Optional(Secret),
    session_token: Type.Optional(Secret),
    exported: Type.Optional(Secret),
  },
  {
    ...strict,
    description:
      'Keys of Amazon, with which requests are signed: each by itself, or together as `aws configure export-credentials` writes them.',
  },
)
export type AwsCredential = Static<typeof AwsCredential>

const HeaderCredential = Type.Object(
  {
    header: Text('The header that carries it.'),
    prefix: Type.Optional(Type.String({ description: 'What stands before it, such as `Bearer `.' })),
    ...secretSources,
  },
  strict,
)
const Credential = Type.Union([
  HeaderCredential,
  Type.Object(
    { client: Type.Literal(true, { description: 'The caller brings its own, beside its Weir key in `x-weir-key`.' }) },
    strict,
  ),
  Type.Object({ aws: AwsCredential }, strict),
  Type.Object({ google: Secret }, { ...strict, description: 'The key of a service account, as its JSON file has it.' }),
  Type.Object({ none: Type.Literal(true, { description: 'The provider asks for none.' }) }, strict),
])
export type Credential = Static<typeof Credential>

export const kinds = [
  'openai',
  'azure',
  'anthropic',
  'gemini',
  'bedrock-anthropic',
  'vertex-anthropic',
  'vertex-gemini',
] as const

const Provider = Type.Object(
  {
    kind: Type.Enum([...kinds]),
    base_url: Type.Optional(
      Text(
        'What stands before `/v1`, or before `/v1beta`. A cloud with a region has an address of its own, which this replaces.',
      ),
    ),
    credential: Credential,
    label: Type.Optional(Text('The provider as runs and prices name it; by default the name of this entry.')),
    max_tokens_field: Type.Optional(
      Type.Enum(['max_completion_tokens', 'max_tokens'], {
        description: 'The field of a chat that bounds its output here.',
      }),
    ),
    usage_in_stream: Type.Optional(
      Type.Enum(['ask', 'always', 'never', 'continuous'], {
        description:
          'Whether a streamed chat says what it used: when asked (the default), always, never, or with every chunk when asked.',
      }),
    ),
    normalises: Type.Optional(
      Type.Boolean({
        description: 'Whether its tokenizer may normalise text first. By default true: the safe answer.',
      }),
    ),
    on_client_gone: Type.Optional(
      Type.Enum(['abort', 'drain'], {
        description:
          'What to do when a caller hangs up: `abort` where that stops the billing, `drain` where the answer is billed to its end and is therefore read to its end. By default `abort`; for `gemini`, which bills to the end, `drain`.',
      }),
    ),
    deployments: Type.Optional(
      Type.Record(Type.String(), Type.String({ minLength: 1 }), {
        description: 'For `azure`: the deployment of each model. Where they are listed, no other can be asked for.',
      }),
    ),
    region: Type.Optional(
      Type.String({ pattern: '^[a-z]+(-[a-z]+)*(-?[0-9]+)?$', description: 'For clouds: the region.' }),
    ),
    project: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9.:-]{0,98}[a-z0-9]$',
        description: 'For `vertex-anthropic` and `vertex-gemini`: the project of Google that pays.',
      }),
    ),
    model_ids: Type.Optional(
      Type.Record(Type.String(), Type.String({ minLength: 1 }), {
        description:
          'For `bedrock-anthropic`, `vertex-anthropic` and `vertex-gemini`: the id of each model there. No other can be asked for.',
      }),
    ),
    api_version: Type.Optional(
      Text('For `azure`: the version of the interface by deployments; without it `/openai/v1` is used.'),
    ),
    allow_fields: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Fields of requests that may change what a call costs, and are forwarded all the same.',
      }),
    ),
    connections: Type.Optional(Count('Connections to it at most; without this as many as there may be calls.')),
    idle_seconds: Type.Optional(Seconds('How long it may send nothing before a call counts as broken.')),
    first_byte_seconds: Type.Optional(Seconds('How long it may take to begin its answer.')),
  },
  strict,
)
export type ProviderConfig = Static<typeof Provider>

/** Returns the address of a provider; `''` where it has none. */
export function addressOf({ kind, base_url, region }: ProviderConfig): string {
  if (base_url !== undefined || region === undefined) return base_url ?? ''
  if (kind === 'bedrock-anthropic') return `https://bedrock-runtime.${region}.amazonaws.com`
  if (kind !== 'vertex-anthropic' && kind !== 'vertex-gemini') return ''
  if (region === 'global') return 'https://aiplatform.googleapis.com'
  // Regions of several places have addresses of another form.
  const isWide = region === 'us' || region === 'eu'
  return isWide ? `https://aiplatform.${region}.rep.googleapis.com` : `https://${region}-aiplatform.googleapis.com`
}

const modelTraits = {
  provider: Type.Optional(Text('The provider that serves it.')),
  fallback: Type.Optional(Type.Array(Type.String(), { description: 'Providers to ask next when it refuses a call.' })),
  context_tokens: Type.Optional(Count('Its context window: no input can be longer.')),
  max_output_tokens: Type.Optional(Count('The longest output it can give.')),
  default_max_output: Type.Optional(Count('The output that a call may have which names no maximum.')),
  thinking_tokens: Type.Optional(
    Count('The most tokens that it can think for one answer, where that may be billed beside its output.', 0),
  ),
  image_tokens: Type.Optional(Count('The most tokens that one image can be.')),
  bounds: Type.Optional(Type.Enum(['hard', 'priced', 'allow_soft'])),
  downgrade: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Cheaper models to try, in order, when money refuses a call that allows it.',
    }),
  ),
}
const Model = Type.Union([
  Type.Object({ name: Text('The model.'), alias: Text('The model that it stands for.') }, strict),
  Type.Object({ name: Text('The model.'), ...modelTraits }, strict),
  Type.Object({ prefix: Type.String({ description: 'How the names of these models begin.' }), ...modelTraits }, strict),
])
export type ModelConfig = Static<typeof Model>

const ServerTool = Type.Object(
  {
    unit: Type.Optional(Text('The unit by which the price book has its fee; without one it has no fee.')),
    max_uses: Count('How often one call may use it; written into the request where that is possible.'),
    tokens_per_use: Count('The input tokens that one use may add.', 0),
  },
  strict,
)
export type ServerToolConfig = Static<typeof ServerTool>

export const GatewayConfig = Type.Object(
  {
    listen: Type.Optional(
      Type.Object(
        {
          host: Type.Optional(Text('The address to listen on.')),
          port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
          metrics_port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
          trusted_proxies: Type.Optional(
            Type.Array(Type.String(), {
              description: 'Addresses and networks of proxies before the gateway whose `X-Forwarded-For` is believed.',
            }),
          ),
        },
        strict,
      ),
    ),
    weir: Type.Object(
      {
        url: Type.Optional(Text('The address of Weir; not needed where the gateway runs inside it.')),
        settlement_key: Type.Optional(Secret),
        foreign_keys: Type.Optional(
          Type.Boolean({
            description:
              'Whether callers may present a key of another gateway (`sk-…`) that Weir takes for one of its own. By default not: then none leaves the gateway.',
          }),
        ),
        lease_seconds: Type.Optional(Type.Integer({ minimum: 10, maximum: 86_400 })),
        timeout_seconds: Type.Optional(Seconds('How long a start may take in all.')),
      },
      strict,
    ),
    providers: Type.Record(Type.String({ pattern: '^[a-z0-9][a-z0-9_-]{0,62}$' }), Provider),
    models: Type.Optional(Type.Array(Model)),
    bounds: Type.Optional(
      Type.Object(
        {
          default: Type.Optional(Type.Enum(['hard', 'priced', 'allow_soft'])),
          server_tools: Type.Optional(Type.Record(Type.String(), ServerTool)),
        },
        strict,
      ),
    ),
    fit: Type.Optional(
      Type.Object(
        {
          mode: Type.Optional(Type.Enum(['output', 'off'])),
          above: Type.Optional(Count('A maximum of output up to this is the caller’s wish, and is not shortened.')),
          floor: Type.Optional(Count('The shortest output worth having.')),
        },
        strict,
      ),
    ),
    tighten: Type.Optional(Type.Enum(['count', 'off'])),
    memory: Type.Optional(
      Type.Enum(['near_limit', 'always', 'off'], {
        description: 'When a call is held at what its conversation was billed before and the bytes of what is new.',
      }),
    ),
    safety: Type.Optional(
      Type.Object(
        {
          send: Type.Optional(Type.Enum(['newest', 'off'])),
          max_characters: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
        },
        strict,
      ),
    ),
    clients: Type.Optional(
      Type.Object(
        { codex: Type.Optional(Type.Object({ refusal: Type.Enum(['text', 'usage_limit']) }, strict)) },
        strict,
      ),
    ),
    checks: Type.Optional(
      Type.Boolean({ description: 'Decides at `/check/…` on calls that another proxy sends, such as Envoy.' }),
    ),
    journal: Type.Optional(
      Type.Object(
        { folder: Text('Where calls in progress are written down, so that a restart can settle them.') },
        strict,
      ),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          body_bytes: Type.Optional(Count('The largest request.')),
          buffered_bytes: Type.Optional(Count('All requests in memory together.')),
          in_flight: Type.Optional(Count('Calls at once.')),
          drain_seconds: Type.Optional(Seconds('How long a stopping gateway lets streams end.')),
        },
        strict,
      ),
    ),
  },
  { ...strict, title: 'GatewayConfig' },
)
export type GatewayConfig = Static<typeof GatewayConfig>

/** The calls that a gateway serves at once. */
export const mostInFlight = ({ limits }: GatewayConfig): number => limits?.in_flight ?? 2_000
