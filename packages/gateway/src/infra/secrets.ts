import { statSync } from 'node:fs'
import type { SecretSource } from '../config-schema.ts'
import { readSecret } from '../secret-source.ts'
import type { Clock } from './clock.ts'

const checkedEveryMs = 1_000

/** A secret that is read again when its file has changed; while the file cannot be read, the last one stays. */
export class LiveSecret {
  #value: string
  #modifiedMs = 0
  #checkedMs: number

  private readonly source: SecretSource
  private readonly env: NodeJS.ProcessEnv
  private readonly clock: Clock

  constructor(source: SecretSource, env: NodeJS.ProcessEnv, clock: Clock) {
    this.source = source
    this.env = env
    this.clock = clock
    this.#value = readSecret(source, env)
    this.#checkedMs = clock.monotonicMs()
    this.#modifiedMs = this.#modified() ?? 0
  }

  value(): string {
    if (this.source.file === undefined || this.clock.monotonicMs() - this.#checkedMs < checkedEveryMs)
      return this.#value
    this.#checkedMs = this.clock.monotonicMs()
    const modifiedMs = this.#modified()
    if (modifiedMs === undefined || modifiedMs === this.#modifiedMs) return this.#value
    try {
      const value = readSecret(this.source, this.env)
      if (value !== '') this.#value = value
      this.#modifiedMs = modifiedMs
    } catch {
      // Between the removal of the old file and the creation of the new one.
    }
    return this.#value
  }

  #modified(): number | undefined {
    return this.source.file === undefined ? undefined : statSync(this.source.file, { throwIfNoEntry: false })?.mtimeMs
  }
}
