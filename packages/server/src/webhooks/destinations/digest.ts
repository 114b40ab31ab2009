/** Events that one message stands for. */
export interface Digest {
  readonly count: number
  /** Time of the message before it, as RFC 3339. */
  readonly since: string
  /** True for a message that says nothing but that the events have ceased. */
  readonly isOver: boolean
}

export const defaultDigestSeconds = 300
