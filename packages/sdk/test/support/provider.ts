import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startProgram } from '../../../server/test/support/programs.ts'

const providerProgram = fileURLToPath(new URL('../../../gateway/src/practice/main.ts', import.meta.url))

/** A call as the books of the practice provider have it. */
export interface Entry {
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly state: 'running' | 'complete' | 'aborted' | 'refused' | 'broken'
  readonly body: string
  readonly path: string
}

/** A provider that keeps books, as a process of its own. */
export interface Provider {
  readonly url: string
  readonly books: () => Promise<readonly Entry[]>
  readonly stop: () => Promise<void>
}

export async function startProvider(): Promise<Provider> {
  const program = startProgram('provider', [process.execPath, providerProgram], {})
  const { url } = (await program.line(({ url }) => typeof url === 'string')) as unknown as { url: string }
  return {
    url,
    books: async () => ((await (await fetch(`${url}/books`)).json()) as { entries: Entry[] }).entries,
    stop: async () => {
      program.process.kill('SIGKILL')
      if (program.process.exitCode === null && program.process.signalCode === null) await once(program.process, 'exit')
    },
  }
}
