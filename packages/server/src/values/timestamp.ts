/** Formats a time as `/v1` does: with a numeric offset, never `Z`. */
export const timestamp = (time: Date): string => `${time.toISOString().slice(0, -1)}+00:00`

export const timestampOrNull = (time: Date | null): string | null => (time === null ? null : timestamp(time))
