import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type MasterKeys, parseMasterKeys } from './keyring.ts'
import { isNetwork } from './network.ts'
import { type Secret, secret } from './secret.ts'
import { errorCode } from './thrown.ts'

/** A fault of a setting. Its message does not repeat the value, which may be a secret. */
export class SettingFault extends Error {}

export const text = (value: string) => value

export const integer = (minimum: number, maximum: number) => (value: string) => {
  const parsed = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (!(parsed >= minimum && parsed <= maximum))
    throw new SettingFault(`must be an integer from ${minimum} to ${maximum}`)
  return parsed
}

export const ratio = (value: string) => {
  const parsed = /^(0|1|0?\.\d+|1\.0+)$/.test(value) ? Number(value) : Number.NaN
  if (!(parsed >= 0 && parsed <= 1)) throw new SettingFault('must be a number from 0 to 1')
  return parsed
}

export const oneOf =
  <const T extends string>(...choices: T[]) =>
  (value: string): T => {
    const found = choices.find((choice) => choice === value)
    if (found === undefined) throw new SettingFault(`must be one of ${choices.join(', ')}`)
    return found
  }

export const url =
  (...protocols: string[]) =>
  (value: string) => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined
    if (!parsed || !protocols.includes(parsed.protocol)) {
      throw new SettingFault(`must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    }
    return value.replace(/\/+$/, '')
  }

export const secretUrl =
  (...protocols: string[]) =>
  (value: string): Secret =>
    secret(url(...protocols)(value))

/** An address of e-mail, alone or after a name. */
export const mailSender = (value: string) => {
  if (!/^(?:[^<>\p{Cc}]{0,100}<)?[^\s<>@\p{Cc}]{1,64}@[^\s<>@\p{Cc}]{1,190}>?$/u.test(value))
    throw new SettingFault('must be an e-mail address, or a name with one in angle brackets')
  return value
}

export const databaseUrl = (value: string): Secret => {
  const checked = url('postgres:', 'postgresql:')(value)
  const { username, searchParams } = new URL(value)
  if (username === '') throw new SettingFault('must name the role to connect as')
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const path = searchParams.get(name)
    if (path !== null) readText(path, `names a file as ${name} that`)
  }
  const mode = searchParams.get('sslmode')
  if (mode !== null && !sslModes.has(mode))
    throw new SettingFault(`must have an sslmode of ${[...sslModes].join(', ')}`)
  return secret(
    mode !== null && checkedModes.has(mode) ? checked.replace(`sslmode=${mode}`, 'sslmode=verify-full') : checked,
  )
}

/** SSL modes under which the driver verifies certificate and host today, but announces that its next version will not. */
const checkedModes = new Set(['prefer', 'require', 'verify-ca'])
const sslModes = new Set(['disable', 'no-verify', ...checkedModes, 'verify-full'])

/** Reads a file; the fault repeats neither its path nor its content. */
function readText(path: string, which: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new SettingFault(`${which} cannot be read (${errorCode(error)})`)
  }
}

/** Reads a PEM file at start-up. */
export const pemFile = (path: string): Secret => {
  const content = readText(path, 'names a file that')
  if (!content.includes('-----BEGIN ')) throw new SettingFault('must name a PEM file')
  return secret(content)
}

/** Parses the master keys into a function, so that printing the configuration does not print them. */
export const masterKeys = (value: string): (() => MasterKeys) => {
  const keys = parseMasterKeys(value)
  if (!keys) throw new SettingFault('must be `id:base64` of 32 bytes, or several separated by commas')
  return () => keys
}

export const parseNetworks = (value: string) => {
  const list = value.split(',').map((part) => part.trim())
  if (!list.every(isNetwork)) throw new SettingFault('must be addresses or CIDR ranges, separated by commas')
  return list
}

export interface PortRange {
  readonly first: number
  readonly last: number
}

export const portRanges = (value: string): PortRange[] =>
  value.split(',').map((part) => {
    const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim()) ?? []
    const range = { first: Number(first), last: Number(last) }
    if (!(range.first >= 1 && range.first <= range.last && range.last <= 65_535)) {
      throw new SettingFault('must be ports from 1 to 65535 or ranges of them, separated by commas')
    }
    return range
  })

/** True for `address` or `address:port`; an IPv6 address with a port is written in brackets. */
const isNameServer = (value: string) => {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(value) ?? []
  const address = bracketed ?? plain ?? value
  const isFamily = bracketed === undefined ? isIP(address) !== 0 : isIP(address) === 6
  return isFamily && (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535))
}

export const nameServers = (value: string) => {
  const list = value.split(',').map((part) => part.trim())
  if (!list.every(isNameServer)) {
    throw new SettingFault('must be addresses, each with or without `:port`, separated by commas')
  }
  return list
}

const weekSeconds = 604_800

export const secondsList = (value: string) => {
  const list = value.split(',').map((part) => (/^\s*\d{1,6}\s*$/.test(part) ? Number(part) : Number.NaN))
  if (list.length > 20 || !list.every((seconds) => seconds >= 1 && seconds <= weekSeconds)) {
    throw new SettingFault(`must be at most 20 integers from 1 to ${weekSeconds}, separated by commas`)
  }
  return list
}
