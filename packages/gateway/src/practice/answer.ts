/** An answer of the practice provider, as one kind of provider would write it. */
export interface Answer {
  /** The type of a streamed answer, where it is no stream of events. */
  readonly contentType?: string
  /** The whole answer. */
  whole(text: string, isCut: boolean): object
  /** The events of a streamed answer, as blocks of text. */
  begin(): string[]
  piece(text: string): string
  end(text: string, isCut: boolean): string[]
}
