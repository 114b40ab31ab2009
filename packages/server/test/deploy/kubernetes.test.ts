import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkConfig } from '../../../gateway/src/config.ts'
import { routeOf } from '../../../gateway/src/routes.ts'
import { render, renderedPath, renderings, sourcesChecksum } from '../../scripts/kubernetes.ts'
import { readConfig } from '../../src/config.ts'
import { readGuide } from '../support/guide.ts'
import { environmentFor, useServer } from '../support/harness.ts'
import { environmentOf, type Manifest, manifestsIn, rendered, schemaFaults, workloadsIn } from '../support/manifests.ts'

/** The manifests for Kubernetes, as they are rendered, against its API and against the program. */
const server = useServer()
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const names = Object.keys(renderings)
const everything = names.flatMap(rendered)
const workloads = workloadsIn(everything)
const nameLabel = 'app.kubernetes.io/name'

test('what is rendered is what the sources say', () => {
  const checksum = sourcesChecksum()
  for (const name of names) expect(readFileSync(renderedPath(name), 'utf8').split('\n', 1)[0]).toContain(checksum)
  // The checksum says it where there is no kubectl.
  if (spawnSync('kubectl', ['version', '--client']).status !== 0) return
  const byName = (manifests: Manifest[]) =>
    new Map(manifests.map((manifest) => [`${manifest.kind}/${manifest.metadata.name}`, manifest]))
  for (const name of names) expect(byName(manifestsIn(render(name)))).toEqual(byName(rendered(name)))
})

describe('the API of Kubernetes', () => {
  test('knows every field of every manifest', () => {
    expect(schemaFaults(everything)).toEqual([])
  })

  test('knows no field that is misspelled, misplaced or of another type', () => {
    const deployment = everything.find(({ kind }) => kind === 'Deployment')
    const text = JSON.stringify(deployment)
    const planted = [
      text.replace('"readOnlyRootFilesystem"', '"readonlyRootFilesystem"'),
      text.replace('"terminationGracePeriodSeconds":45', '"terminationGracePeriodSeconds":"45"'),
      text.replace('"spec":{', '"spec":{"securityContext":{},'),
    ]
    expect(planted).not.toContain(text)
    expect(schemaFaults(planted.map((fault) => JSON.parse(fault) as Manifest))).toHaveLength(planted.length)
  })
})

describe('the program', () => {
  test('knows every setting, and starts with them', () => {
    for (const rendering of names) {
      const manifests = rendered(rendering)
      for (const workload of workloadsIn(manifests)) {
        const given = environmentOf(workload, manifests)
        if ('WEIR_GATEWAY_CONFIG' in given) continue
        expect(readConfig(withoutFiles(given)).warnings).toEqual([])
        const mounted = workload.template.spec!.containers[0]!.volumeMounts!.map(({ mountPath }) => mountPath)
        const files = Object.entries(given).filter(([name]) => name.endsWith('_FILE'))
        expect(files.length).toBeGreaterThanOrEqual(3)
        for (const [, path] of files) expect(mounted).toContain(path.slice(0, path.lastIndexOf('/')))
      }
    }
  })

  test('would not take a setting that it does not know', () => {
    const worker = workloads.find(({ name }) => name === 'weir-worker')
    const given = { ...environmentOf(worker!, everything), SVC_DRAIN_SECOND: '3' }
    expect(readConfig(withoutFiles(given)).warnings).toHaveLength(1)
  })

  test('listens on the ports that are named, and serves the probes and the metrics there', async () => {
    const shape = workloads.map(({ name, replicas, template }) => {
      const { ports = [], startupProbe, livenessProbe, readinessProbe } = template.spec!.containers[0]!
      return {
        name,
        given: environmentOf({ name, replicas, template }, everything),
        ports: Object.fromEntries(ports.map((port) => [port.name, port.containerPort])),
        probes: [startupProbe, livenessProbe, readinessProbe].flatMap((probe) => probe?.httpGet ?? []),
      }
    })
    const gateways = shape.filter(({ name }) => name === 'weir-gateway')
    const servers = shape.filter(({ name }) => /^weir-(api|worker)$/.test(name))
    expect([gateways.length, servers.length]).toEqual([1, 4])
    for (const { ports, probes } of gateways) {
      expect(ports).toEqual({ http: gatewayConfig().listen.port, metrics: gatewayConfig().listen.metrics_port })
      expect(probes.map(({ path, port }) => `${port} ${routeOf('GET', path!, {}).kind}`)).toEqual([
        'http probe',
        'http probe',
        'http probe',
      ])
    }
    for (const { given, ports, probes } of servers) {
      expect(ports).toEqual({ http: Number(given['SVC_PORT']), metrics: Number(given['SVC_METRICS_PORT']) })
      expect(probes.map(({ port }) => port)).toEqual(['metrics', 'metrics', 'metrics'])
      for (const { path } of [...probes, { path: '/metrics' }])
        expect((await fetch(server.url + path)).status).toBe(200)
    }
  })

  test('has the time to stop that its settings say', () => {
    for (const { name, template } of workloads) {
      const grace = template.spec!.terminationGracePeriodSeconds!
      const { config } = readConfig(withoutFiles({ ...environmentOf({ name, replicas: 1, template }, everything) }))
      const needed =
        name === 'weir-gateway'
          ? gatewayConfig().limits!.drain_seconds!
          : config.drainSeconds + config.stopTimeoutSeconds
      expect({ name, isEnough: grace >= needed + 5 }).toEqual({ name, isEnough: true })
    }
  })

  test('is in the image where the command says, and its user is a number, which runAsNonRoot can judge', () => {
    const dockerfile = readFileSync(`${root}/Dockerfile`, 'utf8')
    expect(dockerfile).toMatch(/^USER [1-9]\d*$/m)
    const programs = workloads.flatMap(({ template }) =>
      (template.spec!.containers[0]!.command ?? []).filter((part) => part.endsWith('.ts')),
    )
    expect(programs).toEqual(['packages/gateway/src/main.ts'])
    const shipped = readFileSync(`${root}/.dockerignore`, 'utf8').split('\n')
    for (const program of programs) {
      expect(existsSync(`${root}/${program}`)).toBe(true)
      expect(shipped).toContain(`!${program.split('/').slice(0, 3).join('/')}`)
    }
  })

  test('is the same image in every pod: the one that the component names', () => {
    const component = readFileSync(`${root}/deploy/kubernetes/components/image/kustomization.yaml`, 'utf8')
    const [, name] = /newName: (\S+)/.exec(component)!
    const [, tag] = /newTag: (\S+)/.exec(component)!
    const images = workloads.map(({ template }) => template.spec!.containers[0]!.image)
    expect(images).toEqual(workloads.map(() => `${name}:${tag}`))
  })

  test('of the gateway takes its configuration', () => {
    const folder = mkdtempSync(`${tmpdir()}/weir-secrets-`)
    try {
      writeFileSync(`${folder}/secret`, 'secret')
      const text = JSON.stringify(gatewayConfig()).replaceAll(
        /\/run\/secrets\/weir-gateway\/[\w-]+/g,
        `${folder}/secret`,
      )
      expect(() => checkConfig(JSON.parse(text), {})).not.toThrow()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

test('the guide makes the Secrets and keys that pods read, and applies folders that exist', () => {
  const { text } = readGuide('kubernetes')
  for (const [, folder] of text.matchAll(/apply -k deploy\/kubernetes\/(\S+)/g))
    expect(Object.values(renderings)).toContain(folder)
  for (const { template } of workloads) {
    const read = [
      ...JSON.stringify([template, gatewayConfig(), everything]).matchAll(/\/run\/secrets\/([\w-]+)\/([\w-]+)/g),
    ]
    for (const [, secret, key] of read)
      expect(text).toMatch(new RegExp(`secret generic ${secret}( [^\n]*\\\\\n)?[^\n]*--from-literal=${key}=`))
    const mounted = (template.spec!.volumes ?? []).flatMap(({ secret }) => secret?.secretName ?? [])
    for (const secret of mounted) expect(text).toContain(`create secret generic ${secret} `)
  }
})

describe('every pod', () => {
  test('is locked down', () => {
    expect(workloads.length).toBe(6)
    for (const { template } of workloads) {
      const { spec } = template
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      // OpenShift gives each namespace users of its own.
      expect(JSON.stringify(spec)).not.toMatch(/runAs(User|Group)|fsGroup|hostPath|hostNetwork|hostPort|privileged"/)
      for (const container of spec!.containers)
        expect(container).toMatchObject({
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          resources: {
            requests: { cpu: expect.any(String), memory: expect.any(String) },
            limits: { memory: expect.any(String) },
          },
        })
    }
  })

  test('is under a network policy, and everything that selects pods selects some', () => {
    for (const rendering of names) {
      const manifests = rendered(rendering)
      const pods = workloadsIn(manifests).map(({ template }) => template.metadata!.labels![nameLabel])
      const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(selected)
      expect(new Set(policies)).toEqual(new Set(pods))
      expect(policies.length).toBe(pods.length)
      const selecting = manifests.filter(({ kind }) => ['Service', 'PodDisruptionBudget'].includes(kind))
      for (const manifest of selecting) expect(pods).toContain(selected(manifest))
      for (const manifest of manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')) {
        const { scaleTargetRef } = manifest['spec'] as { scaleTargetRef: { name: string } }
        expect(workloadsIn(manifests).find(({ name }) => name === scaleTargetRef.name)!.replicas).toBe(undefined)
      }
    }
  })

  test('reads secrets from files of Secrets that somebody else makes', () => {
    expect(everything.filter(({ kind }) => kind === 'Secret')).toEqual([])
    expect(JSON.stringify(everything)).not.toMatch(/postgres(ql)?:\/\/|rediss?:\/\/|secretKeyRef/)
  })

  test('may send where webhooks and identity providers may be by default', () => {
    const { config } = readConfig(environmentFor(server.database))
    const allowed = new Set(
      everything
        .filter(({ kind, metadata }) => kind === 'NetworkPolicy' && /^weir-(api|worker)$/.test(metadata.name))
        .flatMap((policy) => (policy['spec'] as { egress: { to?: unknown; ports: { port: number }[] }[] }).egress)
        .filter(({ to }) => to !== undefined)
        .flatMap(({ ports }) => ports.map(({ port }) => port)),
    )
    const settings = JSON.stringify([config.webhookAllowedPorts, config.ssoAllowedPorts])
    for (const port of allowed) expect(settings).toContain(String(port))
    expect(allowed.size).toBe(4)
  })
})

function selected({ kind, spec }: Manifest): string | undefined {
  const { selector, podSelector } = spec as {
    selector?: Record<string, string> & { matchLabels?: Record<string, string> }
    podSelector?: { matchLabels: Record<string, string> }
  }
  return kind === 'Service' ? selector?.[nameLabel] : (podSelector ?? selector)?.matchLabels?.[nameLabel]
}

/** The same environment, with secrets that are no files: those are in a cluster. */
function withoutFiles(given: Record<string, string>): Record<string, string> {
  const plain = Object.entries(given).filter(([name]) => !name.endsWith('_FILE'))
  const { SVC_DATABASE_URL, SVC_REDIS_URL, SVC_MASTER_KEYS } = environmentFor(server.database)
  return { SVC_DATABASE_URL, SVC_REDIS_URL, SVC_MASTER_KEYS, ...Object.fromEntries(plain) }
}

function gatewayConfig() {
  const map = everything.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('weir-gateway'))
  return JSON.parse((map!['data'] as Record<string, string>)['gateway.json']!) as {
    listen: { port: number; metrics_port: number }
    limits?: { drain_seconds?: number }
  }
}
