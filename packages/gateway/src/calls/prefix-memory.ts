import { createHash, type Hash, randomBytes } from 'node:crypto'
import type { Conversation } from '../dialects/dialect.ts'
import type { Clock } from '../infra/clock.ts'
import type { RatedModel } from './learned-rates.ts'

/** The reader of a conversation: a model, on behalf of a caller. */
export interface Reader extends RatedModel {
  /** The key of the caller. */
  readonly key: string
  /** Anything else on which the length may depend: the API, headers. */
  readonly way: readonly unknown[]
}

/** A conversation that was read before, up to a message. */
export interface KnownPrefix {
  readonly messages: number
  /** Its tokens, as the provider billed them. */
  readonly tokens: number
}

interface Known {
  readonly tokens: number
  /** The model that had answered. */
  readonly answeredBy: string
  readonly atMs: number
}

const mostKnown = 100_000
const mostOfOneKey = 5_000
/** The time after which a name of a model may stand for another one. */
const keptMs = 3_600_000

/**
 * Lengths of conversations as providers have billed them, so that the next turn of one needs to be bounded by its new bytes alone. What is kept
 * is a hash and a number. Every key has a memory of its own, and takes nothing from another's: nobody can teach anybody else a length, or find
 * out by one what another has sent.
 */
export class PrefixMemory {
  readonly #byKey = new Map<string, Map<string, Known>>()
  /** The model that has answered last, by provider and model: lengths of another one count no more. */
  readonly #answering = new Map<string, string>()
  readonly #distrusted = new Set<string>()
  /** The keys whose conversations are remembered, with the times at which money was short for them. */
  readonly #watched = new Map<string, number>()
  /** Without it a hash says nothing of a text, not even to somebody who guesses it. */
  readonly #secret = randomBytes(32)
  #size = 0
  private readonly clock: Clock

  constructor(clock: Clock) {
    this.clock = clock
  }

  get size(): number {
    return this.#size
  }

  /** Remembers the conversations of a key from now on: to read them takes time, so it is done where money is short. */
  watch(key: string) {
    if (this.#watched.size >= mostKnown) this.#watched.clear()
    this.#watched.set(ownerOf(key), this.clock.monotonicMs())
  }

  watches(key: string): boolean {
    const atMs = this.#watched.get(ownerOf(key))
    return atMs !== undefined && this.clock.monotonicMs() - atMs < keptMs
  }

  /** Learns how long a conversation is. */
  teach(reader: Reader, conversation: Conversation, tokens: number, answeredBy: string) {
    const { messages } = conversation
    const name = nameOf(reader)
    if (this.#distrusted.has(name) || !conversation.isTurn(messages.length)) return
    this.#answering.set(name, answeredBy)
    const own = this.#own(reader.key)
    const hash = this.#begin(reader, conversation)
    for (const message of messages) add(hash, message)
    this.#keep(own, hash.digest('base64'), { tokens, answeredBy, atMs: this.clock.monotonicMs() })
  }

  /** Finds the longest beginning of a conversation that is known. */
  find(reader: Reader, conversation: Conversation): KnownPrefix | undefined {
    const own = this.#byKey.get(ownerOf(reader.key))
    const name = nameOf(reader)
    if (own === undefined || this.#distrusted.has(name)) return undefined
    const hash = this.#begin(reader, conversation)
    let longest: KnownPrefix | undefined
    for (const [i, message] of conversation.messages.entries()) {
      add(hash, message)
      if (!conversation.isTurn(i + 1)) continue
      const known = own.get(hash.copy().digest('base64'))
      const isFresh = known !== undefined && this.clock.monotonicMs() - known.atMs < keptMs
      if (isFresh && known.answeredBy === this.#answering.get(name)) longest = { messages: i + 1, tokens: known.tokens }
    }
    return longest
  }

  /** Believes no length of a model any more, because one was wrong. */
  distrust(rated: RatedModel) {
    this.#distrusted.add(nameOf(rated))
  }

  trusts(rated: RatedModel): boolean {
    return !this.#distrusted.has(nameOf(rated))
  }

  #begin({ provider, model, way }: Reader, { frame }: Conversation): Hash {
    const hash = createHash('sha256').update(this.#secret)
    add(hash, [provider, model, way, frame])
    return hash
  }

  #own(key: string): Map<string, Known> {
    const owner = ownerOf(key)
    const own = this.#byKey.get(owner) ?? new Map<string, Known>()
    this.#byKey.set(owner, own)
    return own
  }

  #keep(own: Map<string, Known>, hash: string, known: Known) {
    if (own.delete(hash)) this.#size -= 1
    own.set(hash, known)
    this.#size += 1
    if (own.size > mostOfOneKey) this.#forgetOldest(own)
    // Who has the most gives way, so that a new key takes nothing from others that have less.
    if (this.#size > mostKnown)
      this.#forgetOldest([...this.#byKey.values()].reduce((a, b) => (b.size > a.size ? b : a)))
    if (this.#byKey.size > mostKnown) this.#forgetEmpty()
  }

  #forgetOldest(own: Map<string, Known>) {
    const [oldest] = own.keys()
    if (oldest !== undefined && own.delete(oldest)) this.#size -= 1
  }

  #forgetEmpty() {
    for (const [owner, own] of this.#byKey) if (own.size === 0) this.#byKey.delete(owner)
  }
}

const ownerOf = (key: string) => createHash('sha256').update(key).digest('base64')

/** Adds a value to a hash. JSON has no line breaks, so that one ends it. */
const add = (hash: Hash, value: unknown) => hash.update(`${JSON.stringify(value)}\n`)

const nameOf = ({ provider, model }: RatedModel) => `${provider}\n${model}`
