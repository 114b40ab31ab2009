import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type FirstCalls, makeFirstCalls, type Place } from './first-calls.ts'
import { shippedFiles } from './shipped-files.ts'

const podman = (...parameters: readonly string[]) => execFileSync('podman', parameters, { encoding: 'utf8' }).trim()

/** A user that no image knows, in the group root, as OpenShift gives them. */
const user = '1000660000:0'
const server = 'packages/server/src/main.ts'

/** Containers of an image as a cluster runs them: some user that is not root, nothing to write to but /tmp, and no capability. */
export function containersOf(image: string, folder: string): Place & { readonly names: Map<string, string> } {
  const names = new Map<string, string>()
  return {
    folder,
    names,
    command: ([path, ...parameters], environment) => {
      const name = `weir-image-${process.pid}-${names.size}`
      names.set(path === server ? parameters[0]! : path, name)
      return [
        'podman',
        'run',
        ...`--rm --name ${name} --network host --cgroups disabled --ulimit host --log-driver none`.split(' '),
        ...`--user ${user} --read-only --read-only-tmpfs=false --tmpfs /tmp`.split(' '),
        ...`--cap-drop all --security-opt no-new-privileges --volume ${folder}:${folder}:ro`.split(' '),
        ...Object.keys(environment).flatMap((variable) => ['--env', variable]),
        // The server is what the image starts by itself.
        ...(path === server ? [image, ...parameters] : ['--entrypoint', 'node', image, path, ...parameters]),
      ]
    },
  }
}

/** Everything in the image that is not a package it runs on, compared with what is committed and shipped. */
export function differencesFromSources(image: string): string[] {
  const script = `process.stdout.write(require('fs').readdirSync('.', { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory()).map((entry) => require('path').join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('node_modules')).join('\\n'))`
  const inside = podman(
    'run',
    '--rm',
    '--network',
    'none',
    '--cgroups',
    'disabled',
    '--ulimit',
    'host',
    '--entrypoint',
    'node',
    image,
    '-e',
    script,
  ).split('\n')
  const shipped = new Set(shippedFiles())
  return [
    ...inside.filter((path) => !shipped.has(path)).map((path) => `only in the image: ${path}`),
    ...[...shipped].filter((path) => !inside.includes(path)).map((path) => `not in the image: ${path}`),
  ]
}

export interface Confinement {
  readonly user: string
  readonly capabilities: string
  readonly canGainPrivileges: boolean
  readonly hasSystemCallFilter: boolean
  /** What becomes of writing a file there. */
  readonly writes: Readonly<Record<string, string>>
}

/** How a running container is confined, as the kernel says it of its process. */
export function confinementOf(container: string): Confinement {
  const pid = podman('inspect', '--format', '{{.State.Pid}}', container)
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)![1]!
  const script = `const { writeFileSync } = require('fs'); const writes = {}
    for (const path of ['/app/x', '/app/packages/server/src/main.ts', '/etc/x', '/usr/local/bin/node', '/tmp/x'])
      try { writeFileSync(path, ''); writes[path] = 'written' } catch (error) { writes[path] = error.code }
    process.stdout.write(JSON.stringify(writes))`
  return {
    user: field('Uid'),
    capabilities: field('CapEff'),
    canGainPrivileges: field('NoNewPrivs') === '0',
    hasSystemCallFilter: field('Seccomp') === '2',
    writes: JSON.parse(podman('exec', container, 'node', '-e', script)) as Record<string, string>,
  }
}

/** What is written where only the user stands in the way, because the file system may be written to. */
export function writesOfAnyUser(image: string): string {
  const write = `for (const path of ['/app/x', '/app/packages/server/src/main.ts', '/etc/x'])
    try { require('fs').appendFileSync(path, ''); console.log('written') } catch (error) { console.log(error.code) }`
  const options = [
    '--rm',
    '--network',
    'none',
    '--cgroups',
    'disabled',
    '--ulimit',
    'host',
    '--user',
    user,
    '--entrypoint',
    'node',
  ]
  return podman('run', ...options, image, '-e', write)
    .split('\n')
    .join(' ')
}

export const labelsOf = (image: string) =>
  JSON.parse(podman('image', 'inspect', '--format', '{{json .Config.Labels}}', image)) as Record<string, string>

export async function tryImage(image: string, folder: string, environment: Readonly<Record<string, string>>) {
  const place = containersOf(image, folder)
  let confinement: Confinement | undefined
  try {
    const made: FirstCalls = await makeFirstCalls(place, environment, () => {
      confinement = confinementOf(place.names.get('api')!)
      return Promise.resolve()
    })
    return { ...made, confinement: confinement! }
  } finally {
    for (const name of place.names.values())
      spawnSync('podman', ['rm', '--force', '--time', '0', name], { stdio: 'ignore' })
  }
}
