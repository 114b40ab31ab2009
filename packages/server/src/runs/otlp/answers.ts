import { bytesField, integerField } from './protobuf.ts'

/** Items of a request that were not recorded, with the reasons. */
export interface PartialSuccess {
  readonly rejected: number
  readonly errorMessage: string
}

/** The kinds of requests, by the field of the answer that counts what was rejected. */
export type RejectedField = 'rejectedSpans' | 'rejectedLogRecords' | 'rejectedDataPoints'

/** Encodes a response, which is the same message for traces, logs and metrics; it is empty for complete success. */
export const protobufAnswer = (partial: PartialSuccess | undefined): Buffer =>
  partial === undefined
    ? Buffer.alloc(0)
    : bytesField(
        1,
        Buffer.concat([integerField(1, partial.rejected), bytesField(2, Buffer.from(partial.errorMessage))]),
      )

/** The response in JSON, where a 64-bit integer is text. */
export const jsonAnswer = (partial: PartialSuccess | undefined, field: RejectedField): string =>
  JSON.stringify(
    partial === undefined
      ? {}
      : { partialSuccess: { [field]: String(partial.rejected), errorMessage: partial.errorMessage } },
  )
