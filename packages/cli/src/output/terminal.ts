import { stripVTControlCharacters, styleText } from 'node:util'
import { exitCodes } from '../faults.ts'
import type { Output, Surroundings } from '../surroundings.ts'
import { cleanJson, cleanLine } from './clean.ts'

/** The meaning of a piece of text; the colour follows. */
export type Tone = 'good' | 'warning' | 'bad' | 'quiet' | 'strong'

const styles = { good: 'green', warning: 'yellow', bad: 'red', quiet: 'dim', strong: 'bold' } as const

/** A cell of a table: text, or text with a meaning. */
export type Cell = string | number | null | undefined | { readonly text: string; readonly tone: Tone }

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
}

type TerminalOptions = Pick<Surroundings, 'stdout' | 'stderr' | 'env'>

/** The terminal: results go to standard output, and everything else (progress, warnings, faults) to standard error. */
export class Terminal {
  readonly #options: TerminalOptions
  #progressLength = 0

  constructor(options: TerminalOptions) {
    this.#options = options
  }

  /** Paints text for standard output, where that is a terminal and nobody asked for no colour. */
  paint(text: string, tone: Tone): string {
    return this.#paintOn(this.#options.stdout, text, tone)
  }

  print(line = '') {
    this.#endProgress()
    this.#options.stdout.write(`${line}\n`)
  }

  json(value: unknown) {
    this.print(cleanJson(value))
  }

  note(line: string) {
    this.#endProgress()
    this.#options.stderr.write(`${line}\n`)
  }

  fault(message: string, hint?: string) {
    this.note(`${this.#paintOn(this.#options.stderr, 'weir:', 'bad')} ${message}`)
    if (hint !== undefined) this.note(hint)
  }

  /** Shows how far long work has come, on one line of standard error; nothing where that is no terminal. */
  progress(line: string) {
    const { stderr } = this.#options
    if (!stderr.isTTY) return
    const text = cleanLine(line).slice(0, Math.max(10, (stderr.columns ?? 80) - 1))
    stderr.write(`\r${text.padEnd(this.#progressLength)}`)
    this.#progressLength = text.length
  }

  /** Prints a table: its widths are those of its content. */
  table(columns: readonly Column[], rows: readonly (readonly Cell[])[]) {
    const texts = rows.map((row) => columns.map((_, i) => this.#cellText(row[i])))
    const widths = columns.map(({ title }, i) => Math.max(title.length, ...texts.map((row) => widthOf(row[i] ?? ''))))
    const line = (cells: readonly string[]) =>
      cells
        .map((cell, i) => pad(cell, widths[i] ?? 0, columns[i]?.align ?? 'left'))
        .join('  ')
        .trimEnd()
    this.print(this.paint(line(columns.map(({ title }) => title)), 'quiet'))
    for (const row of texts) this.print(line(row))
  }

  #cellText(cell: Cell): string {
    if (cell === null || cell === undefined || cell === '') return this.paint('-', 'quiet')
    if (typeof cell !== 'object') return cleanLine(`${cell}`)
    return this.paint(cleanLine(cell.text), cell.tone)
  }

  #endProgress() {
    if (this.#progressLength === 0) return
    this.#options.stderr.write(`\r${' '.repeat(this.#progressLength)}\r`)
    this.#progressLength = 0
  }

  #paintOn(stream: Output, text: string, tone: Tone): string {
    const { env } = this.#options
    const isPlain = !stream.isTTY || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
    return isPlain ? text : styleText(styles[tone], text, { validateStream: false })
  }
}

const segmenter = new Intl.Segmenter()

function widthOf(painted: string): number {
  const text = stripVTControlCharacters(painted)
  return /^[ -~]*$/.test(text) ? text.length : Array.from(segmenter.segment(text)).length
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return align === 'left' ? text + space : space + text
}

const bars = '▁▂▃▄▅▆▇█'

/** Returns a series of amounts as one character each. */
export function sparkline(amounts: readonly number[]): string {
  const most = Math.max(0, ...amounts)
  if (most === 0) return bars.charAt(0).repeat(amounts.length)
  return amounts.map((amount) => bars.charAt(Math.round((Math.max(0, amount) / most) * (bars.length - 1)))).join('')
}

/** Ends quietly where the reader of a pipe has gone. */
export function endWithReader(stream: NodeJS.WriteStream) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.finding)
  })
}
