const quoteCell = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)

/** Formats one line of CSV (RFC 4180). */
export const csvLine = (fields: readonly string[]) => `${fields.map(quoteCell).join(',')}\r\n`

/**
 * Escapes free text: spreadsheets run a cell that begins like a formula, unless an apostrophe precedes it. Where commas are decimal, they
 * begin a cell after a semicolon, too.
 */
export const escapeCell = (text: string) =>
  text.replaceAll(/^(?=[=+\-@\t\r＝＋－＠])|(?<=[;\t])(?=[=+\-@＝＋－＠])/g, "'")
