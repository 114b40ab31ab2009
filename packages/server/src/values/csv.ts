const quoted = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)

/** Formats one line of CSV (RFC 4180). */
export const csvLine = (fields: readonly string[]) => `${fields.map(quoted).join(',')}\r\n`

/** Escapes free text: spreadsheets run a cell that begins like a formula, unless an apostrophe precedes it. */
export const plainCell = (text: string) => (/^[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text)
