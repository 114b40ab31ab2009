import { type MasterKeys, parseMasterKeys } from './keyring.ts'
import { isNetwork } from './network.ts'
import { type Secret, secret } from './secret.ts'

/** What is wrong with a setting, without repeating its value: it may be a secret. */
export class Fault extends Error {}

export const text = (value: string) => value

export const integer = (minimum: number, maximum: number) => (value: string) => {
  const parsed = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (!(parsed >= minimum && parsed <= maximum)) throw new Fault(`must be an integer from ${minimum} to ${maximum}`)
  return parsed
}

export const ratio = (value: string) => {
  const parsed = /^(0|1|0?\.\d+|1\.0+)$/.test(value) ? Number(value) : Number.NaN
  if (!(parsed >= 0 && parsed <= 1)) throw new Fault('must be a number from 0 to 1')
  return parsed
}

export const oneOf =
  <const T extends string>(...choices: T[]) =>
  (value: string): T => {
    const found = choices.find((choice) => choice === value)
    if (found === undefined) throw new Fault(`must be one of ${choices.join(', ')}`)
    return found
  }

export const url =
  (...protocols: string[]) =>
  (value: string) => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined
    if (!parsed || !protocols.includes(parsed.protocol)) {
      throw new Fault(`must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    }
    return value.replace(/\/+$/, '')
  }

export const secretUrl =
  (...protocols: string[]) =>
  (value: string): Secret =>
    secret(url(...protocols)(value))

export const databaseUrl = (value: string): Secret => {
  const checked = secretUrl('postgres:', 'postgresql:')(value)
  if (new URL(value).username === '') throw new Fault('must name the role to connect as')
  return checked
}

/** Wrapped in a function, so that printing the configuration does not print them. */
export const masterKeys = (value: string): (() => MasterKeys) => {
  const keys = parseMasterKeys(value)
  if (!keys) throw new Fault('must be `id:base64` of 32 bytes, or several with commas between them')
  return () => keys
}

export const networks = (value: string) => {
  const list = value.split(',').map((part) => part.trim())
  if (!list.every(isNetwork)) throw new Fault('must be addresses or CIDR networks with commas between them')
  return list
}
