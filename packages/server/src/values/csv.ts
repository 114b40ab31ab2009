const quoted = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)

/** A line as RFC 4180 has it. */
export const csvLine = (fields: readonly string[]) => `${fields.map(quoted).join(',')}\r\n`

/** Text of somebody's own choice: a spreadsheet would run what begins like a formula, and does not after an apostrophe. */
export const plainCell = (text: string) => (/^[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text)
