import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

/** Reads a guide in `docs`: its text, and the blocks of commands that it shows. */
export function readGuide(name: string) {
  const text = readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8')
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? '')
  return { text, blocks }
}

/** Runs commands of a guide as a reader does; returns what they print. */
export async function runCommands(program: string, variables: Record<string, string>): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', ...variables }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', program], { env })
  return stdout.trim()
}
