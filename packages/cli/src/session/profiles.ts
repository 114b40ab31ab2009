import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Fault } from '../faults.ts'
import { fieldOf, isRecord, systemCodeOf, textOf } from '../values.ts'

export interface Profile {
  readonly url: string
  readonly key: string
}

export interface Profiles {
  readonly current: string
  readonly profiles: ReadonlyMap<string, Profile>
}

const profileName = /^[a-z0-9][a-z0-9._-]{0,39}$/

/** The file of profiles, in the place of the XDG base directories. */
export function profilesPath(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME']
  const folder = base?.startsWith('/') ? base : join(env['HOME'] ?? homedir(), '.config')
  return join(folder, 'weir', 'profiles.json')
}

/** Reads the profiles. A file that others can read is not trusted: whoever could read it has the keys. */
export function readProfiles(path: string): Profiles {
  let text: string
  try {
    if ((statSync(path).mode & 0o077) !== 0)
      throw new Fault('usage', `${path} can be read by others`, `Run: chmod 600 ${path}, and think about new keys.`)
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return { current: 'default', profiles: new Map() }
    throw error
  }
  const content = parseProfiles(text, path)
  const stored = fieldOf(content, 'profiles')
  const profiles = Object.entries(isRecord(stored) ? stored : {}).flatMap(([name, profile]) => {
    const [url, key] = [textOf(profile, 'url'), textOf(profile, 'key')]
    return profileName.test(name) && url !== '' && key !== '' ? [[name, { url, key }] as const] : []
  })
  return { current: textOf(content, 'current') || 'default', profiles: new Map(profiles) }
}

/** Writes the profiles as a whole, readable by their owner alone from the first byte on. */
export function writeProfiles(path: string, { current, profiles }: Profiles) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.draft`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, `${JSON.stringify({ current, profiles: Object.fromEntries(profiles) }, null, 2)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  chmodSync(draft, 0o600)
  renameSync(draft, path)
}

export function requireProfileName(name: string): string {
  if (profileName.test(name)) return name
  throw new Fault('usage', `"${name}" is no name of a profile`, 'Use up to 40 small letters, digits, dots, dashes.')
}

function parseProfiles(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Fault('usage', `${path} is not JSON`, 'Delete it and sign in again with `weir login`.')
  }
}
