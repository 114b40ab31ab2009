import { normalForm } from '../../values/normal-form.ts'

/** A spelling under which a model may be priced, with the provider that goes with it. */
export interface NamedModel {
  readonly name: string
  /** `''` where none is known. */
  readonly provider: string
  /** Segments that stood in front of the name. */
  readonly prefix: readonly string[]
}

/**
 * Returns the form of a name in which it is compared: compatibility characters, letter case, blanks, invisible characters, dashes and
 * slashes at the end make no difference.
 */
export function normalName(text: string): string {
  // Almost every name is in this form already, and decisions ask often.
  if (/^[a-z0-9][a-z0-9.:@_-]*$/.test(text)) return text
  return normalForm(text)
    .replace(/ ?\/[ /]*/g, '/')
    .replace(/^[/ ]+|[/ ]+$/g, '')
}

/** The version suffix of a model: a snapshot costs what the model costs, unless it has a price of its own. */
const version = /(?:[-@]\d{4}-\d{2}-\d{2}|[-@]\d{8}|[-:@]latest|@default)$/

/** The revision that Bedrock adds, with the context it was provisioned for. */
const bedrockRevision = /-v\d+(?::\d+)?(?::\d+k)?$/

/** Bedrock's name: where it may run, who made it, the model. */
const bedrockName =
  /^(?:(?:us|us-gov|eu|apac|jp|au|ca|sa|global|regional)\.)?(ai21|amazon|anthropic|cohere|deepseek|google|luma|meta|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|stability|twelvelabs|writer|zai)\.(.+)$/

/** Returns the spellings of one name without a path, closest first. */
function spellingsOf(name: string): string[] {
  const [, , model] = bedrockName.exec(name) ?? []
  const bare = (model ?? name).replace(model === undefined ? '' : bedrockRevision, '')
  const spelled = [name, bare].flatMap((each) => [each, each.replace(version, '')])
  // Azure has no points in its names, and others write a point where Anthropic writes a hyphen.
  const respelled = spelled.map((each) =>
    each.startsWith('claude-') ? each.replace(/(\d)\.(\d)/g, '$1-$2') : each.replace(/^gpt-35(?=-|$)/, 'gpt-3.5'),
  )
  return [...new Set([...spelled, ...respelled])].filter((each) => each !== '')
}

/** Returns the names under which all of these are found: one that is another spelling of one of them is left out. */
export function foundUnder(names: readonly string[]): string[] {
  const all = [...new Set(names)]
  return all.filter((name) => !spellingsOf(name).some((other) => other !== name && all.includes(other)))
}

/**
 * Returns the spellings to look for, closest first: as given, without its version, as the maker spells what Bedrock and Azure spell
 * otherwise; then all of them again without a leading `provider/`, which names the provider where nothing else does.
 */
export function namesOf(model: string, provider: string): NamedModel[] {
  const names: NamedModel[] = []
  const prefix: string[] = []
  const given = normalName(provider)
  let rest = normalName(model)
  for (;;) {
    const named = given || providerIn(prefix) || (bedrockName.test(rest) ? 'aws' : '')
    for (const name of spellingsOf(rest)) names.push({ name, provider: named, prefix: [...prefix] })
    const slash = rest.indexOf('/')
    if (slash < 0) return names
    prefix.push(rest.slice(0, slash))
    rest = rest.slice(slash + 1)
  }
}

/** The provider that a prefix names: the first of its segments that is not just a part of an address. */
const providerIn = (prefix: readonly string[]): string =>
  prefix.map((segment) => (segment.startsWith('arn:aws') ? 'aws' : segment)).find((segment) => !parts.has(segment)) ??
  ''

/** Segments of addresses that name nobody. */
const parts: ReadonlySet<string> = new Set([
  'models',
  'publishers',
  'deployments',
  'accounts',
  'foundation-model',
  '@cf',
])

/** Names under which providers, makers and gateways stand in front of a model. */
const providerNames: ReadonlySet<string> = new Set(
  `ai21 aiml aleph_alpha alibaba amazon anthropic anyscale arcee avian aws azure azure_ai azure_openai baseten bedrock cerebras clarifai cloudflare
cohere cursor dashscope databricks deepgram deepinfra deepseek doubleword fireworks fireworks_ai friendliai gemini github github_copilot
github-copilot google google_ai_studio groq heroku hosted_vllm hugging_face huggingface hyperbolic inception jina_ai lambda_ai litellm litellm_proxy
lm_studio llamafile meta meta_llama meta-llama minimax mistral mistralai modal moonshot moonshotai nebius novita nscale nvidia nvidia_nim ollama
ollama_chat openai openai_like openrouter ovhcloud perplexity predibase qwen replicate sagemaker sambanova snowflake text-completion-openai together
together_ai togethercomputer triton us vercel vercel_ai_gateway vertex vertex_ai vertexai vllm volcengine voyage voyageai watsonx writer x-ai xai
xinference z-ai zai zhipuai`.split(/\s+/),
)

/** True when a segment in front of a model says where the model runs, and is no model itself. */
export const isAddress = (segment: string): boolean =>
  parts.has(segment) || providerNames.has(segment) || segment.startsWith('arn:aws')

/** Other names of providers; prices and rules know them by one. */
const aliases: Readonly<Record<string, string>> = {
  azure_ai: 'azure',
  azure_openai: 'azure',
  bedrock: 'aws',
  fireworks_ai: 'fireworks',
  gemini: 'google',
  github: 'github-copilot',
  github_copilot: 'github-copilot',
  google_ai_studio: 'google',
  mistralai: 'mistral',
  moonshot: 'moonshotai',
  'text-completion-openai': 'openai',
  together_ai: 'together',
  togethercomputer: 'together',
  vertex: 'google',
  vertex_ai: 'google',
  vertexai: 'google',
  voyage: 'voyageai',
  xai: 'x-ai',
  'z-ai': 'zai',
}

/** Returns the one name of a provider. */
export const providerName = (provider: string): string => {
  const name = normalName(provider)
  return Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name
}

/** Returns the name of a model without provider, version and the spellings of resellers. */
export function baseName(model: string): string {
  const normal = normalName(model)
  const name = normal.slice(normal.lastIndexOf('/') + 1)
  return spellingsOf(name).at(-1) ?? normal
}

/** True when two names are one, however they are spelled. */
export const isSameName = (a: string, b: string): boolean => a === b || normalName(a) === normalName(b)

interface ModelOfProvider {
  readonly model: string
  readonly provider?: string | null | undefined
}

/** True when two calls name the same model of the same provider. */
export const isSameModel = (a: ModelOfProvider, b: ModelOfProvider): boolean =>
  isSameName(a.model, b.model) && isSameName(a.provider ?? '', b.provider ?? '')
