import type { components } from '../api/api-types.ts'
import { Client, type ClientOptions } from '../api/client.ts'
import { Fault } from '../faults.ts'
import { profilesPath, readProfiles, requireProfileName } from './profiles.ts'

export type Me = components['schemas']['Me']

export interface Target {
  readonly url: string
  readonly key: string | undefined
  /** The place that the key comes from, for people. */
  readonly source: string
}

export interface TargetOptions {
  readonly url?: string | undefined
  readonly profile?: string | undefined
}

/** Returns the address of a server, checked: a password in it would end in logs. */
export function requireUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new Fault('usage', `"${text}" is no http or https address`)
  if (url.username !== '' || url.password !== '') throw new Fault('usage', 'the address must not have a password in it')
  return (url.origin + url.pathname).replace(/\/+$/, '')
}

export function requireKey(text: string): string {
  const key = text.trim()
  if (/^[!-~]{1,400}$/.test(key)) return key
  throw new Fault('usage', key === '' ? 'no key was given' : 'this is no key: it has spaces or other characters in it')
}

/**
 * Finds the server and the key: from the environment, else from a profile. The key of a profile goes to no other server than the profile's own, so
 * an address in the environment cannot lead it away.
 */
export function findTarget(env: NodeJS.ProcessEnv, options: TargetOptions): Target {
  const { current, profiles } = readProfiles(profilesPath(env))
  const name = requireProfileName(options.profile ?? env['WEIR_PROFILE'] ?? current)
  const profile = profiles.get(name)
  if (options.profile !== undefined && !profile) throw new Fault('usage', `there is no profile "${name}"`)
  const ownUrl = options.url ?? (env['WEIR_BASE_URL'] || undefined)
  const url = ownUrl ?? profile?.url
  if (url === undefined)
    throw new Fault('usage', 'which server?', 'Sign in with `weir login --url URL`, or set WEIR_BASE_URL.')
  const ownKey = options.profile === undefined ? env['WEIR_API_KEY'] : undefined
  if (ownKey !== undefined && ownKey !== '')
    return { url: requireUrl(url), key: requireKey(ownKey), source: 'WEIR_API_KEY' }
  const isOwn = profile !== undefined && requireUrl(url) === requireUrl(profile.url)
  return { url: requireUrl(url), key: isOwn ? profile.key : undefined, source: `profile ${name}` }
}

/** A server, and who is signed in there. */
export interface Session {
  readonly client: Client
  readonly me: Me
  readonly orgId: string | undefined
  readonly source: string
}

export async function openSession(target: Target, options: Omit<ClientOptions, 'url' | 'key'> = {}): Promise<Session> {
  if (target.key === undefined)
    throw new Fault(
      'unauthorized',
      `there is no key for ${target.url}`,
      'Sign in with `weir login`, or set WEIR_API_KEY.',
    )
  const client = new Client({ ...options, url: target.url, key: target.key })
  const me = await client.get<Me>('/v1/me')
  return { client, me, orgId: me.org_id ?? undefined, source: target.source }
}

/** Returns the path of the caller's organization; an operator has none. */
export function orgPath({ me, orgId }: Session): string {
  if (orgId !== undefined) return `/v1/orgs/${orgId}`
  throw new Fault('unauthorized', `this is for the key of an organization; yours is one of the role ${me.role}`)
}
