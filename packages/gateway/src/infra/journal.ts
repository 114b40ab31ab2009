import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { endedBy, Heartbeat, machineMs, readBeats } from './heartbeat.ts'
import type { Log } from './log.ts'

/** One line of the journal. What a process leaves open is settled by the next one that starts. */
export type JournalLine =
  | { readonly t: 'process'; readonly pid: number; readonly began: string }
  /** Written before Weir is asked: without a `start` after it, the call has not been sent. */
  | ({ readonly t: 'ask'; readonly id: string } & AskedCall)
  | { readonly t: 'start'; readonly id: string; readonly call: OpenCall }
  | { readonly t: 'progress'; readonly id: string; readonly seen: Seen }
  | { readonly t: 'settle'; readonly id: string; readonly settlement: object }
  | { readonly t: 'done'; readonly id: string }

/** A call, as far as it must be known to settle it without its answer. */
export interface OpenCall {
  readonly externalId: string
  readonly runId: string
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
}

/** A call for which Weir was asked. */
export interface AskedCall {
  readonly model: string
  /** The mark of its run, where the caller has named the call, so that another run may have its id. */
  readonly nonce?: string
}

/** The progress of an answer. */
export interface Seen {
  readonly outputTokens: number
  /** The time at which this was written, by the clock of the machine, and the tokens a second that may have come since. */
  readonly atMs?: number
  readonly perSecond?: number
  /** Tokens that may come until the next note, and until the provider hears that nobody listens, where it is not known when the process ended. */
  readonly unseenTokens?: number
  readonly usage?: object
}

/** A call that a process left open: how far it had come, and its settlement where it had one. */
export interface LeftOpen {
  readonly id: string
  /** Undefined where it was not sent. */
  readonly call: OpenCall | undefined
  readonly asked: AskedCall | undefined
  readonly seen: Seen | undefined
  readonly settlement: object | undefined
  /** The latest time at which its process can have ended, by the clock of the machine; undefined where that is not known. */
  readonly endedByMs?: number | undefined
}

const rotateAtBytes = 16 * 1024 * 1024

/**
 * A file in which calls in progress are written down. It survives the process and not the machine: lines are handed to the kernel together,
 * once per turn of the event loop, and never synced.
 */
export class Journal {
  #file: number
  #path: string
  #size = 0
  #sequence = 0
  #lines: string[] = []
  #isScheduled = false
  readonly #open = new Map<string, string[]>()

  readonly #heartbeat: Heartbeat
  private readonly folder: string

  constructor(folder: string) {
    this.folder = folder
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#heartbeat = new Heartbeat(beatsIn(folder, process.pid, startOf(process.pid)))
    const { path, file } = this.#begin()
    this.#path = path
    this.#file = file
  }

  write(line: JournalLine) {
    const text = JSON.stringify(line)
    this.#keep(line, text)
    this.#lines.push(text)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.flush())
  }

  /** True for a call that is written down and has not been settled. */
  isOpen(id: string): boolean {
    return this.#open.has(id)
  }

  flush() {
    this.#isScheduled = false
    if (this.#lines.length === 0) return
    this.#append(this.#lines)
    this.#lines = []
    if (this.#size > rotateAtBytes) this.#rotate()
  }

  /** Ends the journal; where nothing is open, there is nothing to keep. */
  async close() {
    await this.#heartbeat.stop()
    this.flush()
    closeSync(this.#file)
    if (this.#open.size === 0) unlinkSync(this.#path)
  }

  #keep(line: JournalLine, text: string) {
    if (line.t === 'process') return
    if (line.t === 'done') this.#open.delete(line.id)
    else if (line.t === 'ask' || line.t === 'start') this.#open.set(line.id, [text])
    else {
      const [start] = this.#open.get(line.id) ?? []
      if (start !== undefined) this.#open.set(line.id, [start, text])
    }
  }

  #append(lines: readonly string[]) {
    const text = `${lines.join('\n')}\n`
    writeSync(this.#file, text)
    this.#size += text.length
  }

  #begin() {
    this.#sequence += 1
    const path = join(this.folder, `${process.pid}-${startOf(process.pid)}-${this.#sequence}.ndjson`)
    const file = openSync(path, 'a', 0o600)
    const line: JournalLine = { t: 'process', pid: process.pid, began: startOf(process.pid) }
    writeSync(file, `${JSON.stringify(line)}\n`)
    return { path, file }
  }

  /** Goes on in a new file with what is open, so that the old one can go. */
  #rotate() {
    const old = { path: this.#path, file: this.#file }
    const { path, file } = this.#begin()
    this.#path = path
    this.#file = file
    this.#size = 0
    const open = [...this.#open.values()].flat()
    if (open.length > 0) this.#append(open)
    closeSync(old.file)
    unlinkSync(old.path)
  }
}

/** Reads what processes that are gone have left open, and removes their files once `take` has it in a journal of its own. */
export function readLeftOpen(folder: string, log: Log, take: (left: readonly LeftOpen[]) => void) {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.ndjson'))) {
    const path = join(folder, name)
    const lines = linesOf(path)
    const owner = lines.find((line) => line.t === 'process')
    if (owner === undefined || (owner.began !== '' && owner.began === startOf(owner.pid))) continue
    const left = leftOpenIn(lines, endOf(folder, owner))
    log.info({ file: name, open: left.length }, 'settling what an ended gateway left open')
    take(left)
    unlinkSync(path)
    rmSync(beatsIn(folder, owner.pid, owner.began), { force: true })
  }
}

const beatsIn = (folder: string, pid: number, began: string) => join(folder, `${pid}-${began}.alive`)

/** Returns the latest time at which a process of this machine can have ended: a while after its last beat, and before now. */
function endOf(folder: string, { pid, began }: { readonly pid: number; readonly began: string }): number | undefined {
  const isSinceBoot = began !== '' && began.split('.')[0] === startOf(process.pid).split('.')[0]
  const beats = isSinceBoot ? readBeats(beatsIn(folder, pid, began)) : undefined
  return beats && Math.min(endedBy(beats), machineMs())
}

function linesOf(path: string): JournalLine[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text): JournalLine[] => {
      try {
        return text === '' ? [] : [JSON.parse(text) as JournalLine]
      } catch {
        // The last line of a process that was killed while it wrote.
        return []
      }
    })
}

function leftOpenIn(lines: readonly JournalLine[], endedByMs: number | undefined): LeftOpen[] {
  const open = new Map<string, LeftOpen>()
  for (const line of lines) {
    if (line.t === 'process') continue
    const known = open.get(line.id)
    const fresh = { id: line.id, call: undefined, asked: undefined, seen: undefined, settlement: undefined }
    if (line.t === 'ask') open.set(line.id, { ...fresh, asked: line })
    else if (line.t === 'start') open.set(line.id, { ...fresh, call: line.call })
    else if (line.t === 'done') open.delete(line.id)
    else if (known)
      open.set(line.id, {
        ...known,
        ...(line.t === 'progress' ? { seen: line.seen } : { settlement: line.settlement }),
      })
  }
  return [...open.values()].map((each) => ({ ...each, endedByMs }))
}

/** Returns the start time of a process by the kernel's clock, which no other process with the same id has. */
function startOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8)
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return `${boot}.${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return ''
  }
}
