import { UnreadableBill } from './bill-lines.ts'

/** A row of a table: its line in the file, and its cells by the names of their columns. */
export interface TableRow {
  readonly line: number
  readonly cells: ReadonlyMap<string, string>
}

const maxColumns = 60
/** A cell in quotes, or one without; then what ends it. */
const cell = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y

/** Reads CSV (RFC 4180) with a line of names. */
export function* tableRows(text: string): Generator<TableRow, void, undefined> {
  const body = text.replace(/^\uFEFF/, '')
  let names: string[] | undefined
  let row: string[] = []
  let line = 1
  let start = 1
  for (let at = 0; at < body.length; ) {
    cell.lastIndex = at
    const [whole, quoted, plain = '', end = ''] = cell.exec(body) ?? []
    if (whole === undefined) throw new UnreadableBill(`line ${line} is no CSV`)
    row.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'))
    if (row.length > maxColumns) throw new UnreadableBill(`line ${start} has more than ${maxColumns} columns`)
    at += whole.length
    line += quoted === undefined ? 0 : (quoted.match(/\n/g)?.length ?? 0)
    if (end === ',' && at < body.length) continue
    if (end === ',') row.push('')
    const isBlank = row.every((one) => one === '')
    if (!isBlank && names === undefined) names = row.map((name) => name.toLowerCase())
    else if (!isBlank) yield { line: start, cells: cellsOf(names ?? [], row, start) }
    row = []
    if (end !== '') line += 1
    start = line
  }
}

function cellsOf(names: readonly string[], row: readonly string[], line: number): ReadonlyMap<string, string> {
  if (row.length > names.length) throw new UnreadableBill(`line ${line} has more cells than the first line has names`)
  return new Map(names.map((name, i) => [name, row[i] ?? '']))
}
