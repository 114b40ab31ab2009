import { readFileSync } from 'node:fs'
import type { Setting } from './setting.ts'
import { SettingFault } from './setting-parsers.ts'
import { errorCode } from './thrown.ts'

type Environment = Readonly<Record<string, string | undefined>>

export const fileVariable = (variable: string) => `${variable}_FILE`

/**
 * Reads the text of a setting from its variable or, for a secret, from the file that `…_FILE` names. Faults repeat neither: a
 * `…_FILE` variable set by mistake is likely to hold the secret itself.
 */
export function readSettingText(
  { variable, isSecret }: Setting<unknown>,
  environment: Environment,
): string | undefined {
  // Shells and compose files write an unset variable as an empty one.
  const text = environment[variable] || undefined
  const path = isSecret ? environment[fileVariable(variable)] || undefined : undefined
  if (path === undefined) return text
  if (text !== undefined) throw new SettingFault(`and ${fileVariable(variable)} are both set; set one of them`)
  return readSecret(fileVariable(variable), path)
}

function readSecret(variable: string, path: string): string {
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    throw new SettingFault(`cannot be read from the file that ${variable} names (${errorCode(error)})`)
  }
  const text = content.replace(/\r?\n$/, '')
  if (text === '') throw new SettingFault(`is empty in the file that ${variable} names`)
  return text
}
