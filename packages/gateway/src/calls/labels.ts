import type { RequestHeaders } from '../dialects/dialect.ts'
import type { RunStart } from '../weir/weir.ts'

/** The fields of a run that say whose call it is. Weir decides what the caller's key may say: pins win there. */
export type Labels = Partial<
  Pick<
    RunStart,
    | 'customer_id'
    | 'user_id'
    | 'workflow_id'
    | 'deployment_id'
    | 'department_id'
    | 'chain_id'
    | 'parent_run_id'
    | 'chain_limits'
    | 'action'
    | 'tags'
  >
>

export function labelsOf(headers: RequestHeaders): Labels {
  const baggage = baggageOf(headers)
  const first = (...values: (string | undefined)[]) => values.find((value) => value !== undefined && value !== '')
  const at = (name: string) => textOf(headers[name])
  const limits = limitsOf(at('x-weir-chain-limits'))
  return defined({
    customer_id: first(at('x-weir-customer')),
    user_id: first(at('x-weir-user')),
    workflow_id: first(at('x-weir-workflow'), baggage.get('weir.workflow_id')),
    deployment_id: first(at('x-weir-deployment'), baggage.get('weir.deployment_id')),
    department_id: first(at('x-weir-department'), baggage.get('weir.department_id')),
    chain_id: first(
      at('x-weir-chain'),
      baggage.get('weir.chain_id'),
      at('x-claude-code-session-id'),
      at('session-id'),
      at('session_id'),
    ),
    parent_run_id: first(at('x-weir-parent'), baggage.get('weir.run_id')),
    chain_limits: limits,
    action: first(at('x-weir-action')),
    tags: at('x-weir-tags')
      ?.split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  })
}

/** Metadata that the caller gives: `x-weir-meta-release: 17` is `release`. */
export const metadataOf = (headers: RequestHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-weir-meta-') && value !== undefined
        ? [[name.slice('x-weir-meta-'.length), String(value)]]
        : [],
    ),
  )

const textOf = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

const defined = <T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as never

function baggageOf(headers: RequestHeaders): Map<string, string> {
  if (headers['baggage'] === undefined) return new Map()
  return new Map(
    String(headers['baggage'])
      .split(',')
      .flatMap((entry) => {
        const [name, value] = entry.split(';')[0]?.split('=') ?? []
        return name === undefined || value === undefined ? [] : [[name.trim(), decoded(value.trim())] as const]
      }),
  )
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** Reads `cost=5;depth=8;tokens=200000`. What cannot be read is sent as it is, for Weir to refuse. */
function limitsOf(text: string | undefined): Labels['chain_limits'] | undefined {
  if (text === undefined) return undefined
  const given = new Map(text.split(';').map((part) => part.split('=').map((side) => side.trim()) as [string, string]))
  return defined({
    max_cost_usd: given.get('cost'),
    max_depth: numberOf(given.get('depth')),
    max_tokens: numberOf(given.get('tokens')),
  })
}

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text))
