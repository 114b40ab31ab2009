import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Fault } from '../faults.ts'
import type { Surroundings } from '../surroundings.ts'

type Streams = Pick<Surroundings, 'stdin' | 'stderr'>

const longestSecret = 10_000

/** Reads a secret: from a pipe as it is, from a terminal without showing it. */
export async function readSecret({ stdin, stderr }: Streams, question: string): Promise<string> {
  if (stdin.isTTY !== true) return readPipe(stdin)
  stderr.write(`${question}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const input = createInterface({ input: stdin, output: silent, terminal: true })
  try {
    return await input.question('')
  } finally {
    input.close()
    stderr.write('\n')
  }
}

async function readPipe(stdin: Streams['stdin']): Promise<string> {
  let text = ''
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > longestSecret) throw new Fault('usage', 'standard input is too long for a key')
  }
  return text
}

/** Asks for a confirmation. Where nobody can be asked, the caller must have given it. */
export async function confirm({ stdin, stderr }: Streams, question: string): Promise<boolean> {
  if (stdin.isTTY !== true) return false
  const input = createInterface({ input: stdin, output: stderr })
  try {
    return /^y(es)?$/i.test((await input.question(`${question} [y/N] `)).trim())
  } finally {
    input.close()
  }
}
