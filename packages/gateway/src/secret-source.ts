import { readFileSync } from 'node:fs'
import type { SecretSource } from './config-schema.ts'

/** Reads a secret from where it is. */
export function readSecret({ env: variable, file }: SecretSource, env: NodeJS.ProcessEnv): string {
  if (variable !== undefined) {
    const value = env[variable]
    if (value === undefined) throw new Error(`the environment variable ${variable} is not set`)
    return value.trim()
  }
  return readFileSync(file ?? '', 'utf8').trim()
}
