import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../../contract/errors.ts'
import type { Caller, CallerSession } from './callers.ts'

export interface Identification {
  /** The session of a page's request. */
  readonly sessionOf: (request: FastifyRequest) => Promise<PageSession>
  /** Returns the owner of a key that somebody signs in with, or throws a refusal. */
  readonly ownerOf: (request: FastifyRequest, key: string) => Promise<Caller>
  /** Returns the owner of a link that somebody signs in with, which is then used up; or throws a refusal. */
  readonly ownerOfLink: (request: FastifyRequest, code: string) => Promise<Caller>
  /** Returns as whom a link would sign in now, without using it up; undefined when it would not. */
  readonly seenByLink: (request: FastifyRequest, code: string) => Promise<Caller | undefined>
  /** Returns a member who has proved who they are, or throws a refusal. */
  readonly member: (request: FastifyRequest, memberId: string) => Promise<Caller>
  /** Returns the directory whose token a request presents, or throws a refusal. No other token is one, and it is none elsewhere. */
  readonly directoryOf: (request: FastifyRequest) => Promise<Caller>
  /**
   * Returns what the proof of a request finds, or throws a refusal. A source that has failed too often is only looked up more slowly:
   * others send from the address of a service such as Slack too.
   */
  readonly proven: <T>(
    request: FastifyRequest,
    find: (source: string, isOver: boolean) => Promise<T | undefined>,
  ) => Promise<T>
  /** Counts a wrong proof against its source, and throws the refusal. */
  readonly refuseGuess: (request: FastifyRequest) => Promise<never>
  /** Returns what somebody's guess finds, or throws a refusal. A source that has guessed wrong too often waits. */
  readonly guess: <T>(request: FastifyRequest, find: () => Promise<T | undefined>) => Promise<T>
  /** True for an address from a source that has presented too many invalid keys. */
  readonly isSlowed: (clientAddress: string) => boolean
  /**
   * Returns the owner of the token of a request that was refused before authentication; `undefined` when there is none that can
   * be verified. With `isFromMemory` the database is not asked.
   */
  readonly bearerOf: (request: FastifyRequest, options?: { isFromMemory?: boolean }) => Promise<Caller | undefined>
}

/** The session of a page's request: none presented, one that was never issued, one that has ended, or a live one. */
export type PageSession =
  | { readonly state: 'none' | 'unknown' | 'ended' }
  | {
      readonly state: 'live'
      readonly caller: Caller
      readonly session: CallerSession
      readonly csrfToken: string
      /** Refusal of everything but its end: its organization is suspended, or does not list the address. */
      readonly refusal: ApiError | undefined
    }
