import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { settings } from '../../src/settings.ts'
import { chartFile, renderChart, renderTemplate, templateNames, type Values, valuesWith } from '../support/chart.ts'
import { environmentOf, type Manifest, rendered, schemaFaults, workloadsIn } from '../support/manifests.ts'

/** The Helm chart against what Kustomize makes of the same sources, text by text. */
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const gatewayConfig = readFileSync(`${root}/deploy/kubernetes/components/gateway/gateway.json`, 'utf8')
const { version } = JSON.parse(readFileSync(`${root}/packages/server/package.json`, 'utf8')) as { version: string }
const image = { image: { tag: version } }
const small = valuesWith(image)
const production = valuesWith({ ...image, gateway: { enabled: true, config: gatewayConfig } }, 'values-production.yaml')

/** Manifests as text, each field in its order, without what the two ways do in their own manner: hooks of the Job, and how a changed map makes a rollout. */
function comparable(manifests: readonly Manifest[]): string {
  const text = manifests.map((manifest) => {
    const name = withoutHash(manifest)
    const copy = structuredClone(manifest) as Manifest & {
      metadata: { name: string; annotations?: object }
      spec?: { template?: { metadata?: { annotations?: object } } }
    }
    copy.metadata.name = name
    delete copy.metadata.annotations
    delete copy.spec?.template?.metadata?.annotations
    return stringify(copy, { sortMapEntries: true, lineWidth: 0 })
  })
  const hashes = manifests
    .filter(({ kind }) => kind === 'ConfigMap')
    .map((map) => [map.metadata.name, withoutHash(map)])
  return hashes.reduce((all, [name, short]) => all.replaceAll(name!, short!), text.toSorted().join('---\n'))
}
const withoutHash = ({ kind, metadata: { name } }: Manifest) =>
  kind === 'ConfigMap' ? name.replace(/-[a-z0-9]{10}$/, '') : name

describe('the chart makes what Kustomize makes', () => {
  test('of its own values the small installation', () => {
    expect(comparable(renderChart(small))).toBe(comparable([...rendered('small'), ...rendered('migrate')]))
  })

  test('of the values for production the large one', () => {
    expect(comparable(renderChart(production))).toBe(comparable([...rendered('production'), ...rendered('migrate')]))
  })

  test('and the comparison sees one field that differs', () => {
    for (const [path, value] of [
      ['worker', { replicas: 3 }],
      ['settings', { SVC_DRAIN_SECONDS: '11' }],
      ['networkPolicy', { redisPort: 6380 }],
      ['secretNames', { server: 'other' }],
    ] as const)
      expect(comparable(renderChart(valuesWith({ ...image, [path]: value })))).not.toBe(comparable(renderChart(small)))
  })
})

describe('every choice', () => {
  const chosen = valuesWith({
    image: { repository: 'registry.example.com:5000/a/weir', digest: `sha256:${'a'.repeat(64)}`, pullPolicy: 'Always' },
    imagePullSecrets: ['one', 'two'],
    nodeSelector: { 'kubernetes.io/arch': 'amd64', odd: 'say "no"\n: - {{ .Values }}' },
    tolerations: [
      { key: 'spot', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'slow', operator: 'Equal', value: 'true', effect: 'NoExecute', tolerationSeconds: 60 },
    ],
    priorityClassName: 'high',
    settings: { SVC_LOG_LEVEL: 'debug', SVC_CELLS: '[{"name":"c2","url":"https://c2.example.com"}]' },
    gateway: { enabled: true, config: gatewayConfig },
    serviceMonitor: { enabled: true },
    api: { autoscaling: { enabled: true } },
  })

  test('is known to the API of Kubernetes, and no value is lost', () => {
    const manifests = renderChart(chosen)
    expect(schemaFaults(manifests)).toEqual([])
    for (const { name, template } of workloadsIn(manifests)) {
      expect({ name, ...template.spec }).toMatchObject({
        imagePullSecrets: [{ name: 'one' }, { name: 'two' }],
        nodeSelector: chosen['nodeSelector'],
        tolerations: chosen['tolerations'],
        priorityClassName: 'high',
        containers: [{ image: `registry.example.com:5000/a/weir@sha256:${'a'.repeat(64)}`, imagePullPolicy: 'Always' }],
      })
    }
    const api = workloadsIn(manifests).find(({ name }) => name === 'weir-api')!
    expect(environmentOf(api, manifests)).toMatchObject(chosen['settings'] as object)
    const text = JSON.stringify(manifests)
    expect(text).not.toContain('<no value>')
    expect(text).not.toContain('%!q')
  })

  test('can be left out: no gateway, monitor, policy or Job, and the version of the chart as the tag', () => {
    const manifests = renderChart(valuesWith({ migrate: { enabled: false }, networkPolicy: { enabled: false } }))
    expect(manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`).toSorted()).toEqual([
      'ConfigMap/weir',
      'Deployment/weir-api',
      'Deployment/weir-worker',
      'PodDisruptionBudget/weir-api',
      'PodDisruptionBudget/weir-worker',
      'Service/weir-api',
      'Service/weir-worker',
      'ServiceAccount/weir',
    ])
    const worker = workloadsIn(manifests).find(({ name }) => name === 'weir-worker')
    expect(worker!.template.spec!.containers[0]!.image).toBe(`registry.example.com/weir:${version}`)
  })

  test('of settings replaces the pods that read them, and the others stay', () => {
    const annotated = (values: Values) =>
      Object.fromEntries(
        workloadsIn(renderChart(values)).map(({ name, template }) => [name, template.metadata!.annotations]),
      )
    const changed = annotated({ ...production, settings: { ...(production['settings'] as object), SVC_LANES: '4' } })
    const before = annotated(production)
    expect(changed['weir-api']).not.toEqual(before['weir-api'])
    expect(changed['weir-worker']).not.toEqual(before['weir-worker'])
    expect(changed['weir-gateway']).toEqual(before['weir-gateway'])
    // Settings in another order are the same settings.
    const settings = Object.fromEntries(Object.entries(production['settings'] as object).toReversed())
    expect(annotated({ ...production, settings })).toEqual(before)
  })
})

describe('Helm', () => {
  test('runs the Job before the rest, with what the Job needs before the Job', () => {
    const hooks = renderChart(small)
      .map(({ kind, metadata }) => [kind, (metadata as { annotations?: Record<string, string> }).annotations] as const)
      .filter(([, annotations]) => annotations)
    expect(
      Object.fromEntries(hooks.map(([kind, annotations]) => [kind, Number(annotations!['helm.sh/hook-weight'])])),
    ).toEqual({
      ConfigMap: -1,
      NetworkPolicy: -1,
      ServiceAccount: -1,
      Job: 0,
    })
    for (const [, annotations] of hooks) expect(annotations!['helm.sh/hook']).toBe('pre-install,pre-upgrade')
    // Argo CD ignores all hooks of Helm where it finds one of its own.
    expect(JSON.stringify(hooks)).not.toContain('argocd')
  })

  test('finds in the templates only what Go’s templates know', () => {
    const actions = templateNames().flatMap((name) =>
      Array.from(chartFile(`templates/${name}`).matchAll(/\{\{-?(.*?)-?\}\}/g), ([, action]) => action!.trim()),
    )
    const words = actions
      .filter((action) => !action.startsWith('/*'))
      .flatMap((action) =>
        action
          .replaceAll(/"[^"]*"|\$\w*|\.[\w.]*|:=|[(),]/g, ' ')
          .trim()
          .split(/\s+/),
      )
    expect(new Set(words)).toEqual(
      new Set(['', 'and', 'else', 'end', 'if', 'index', 'not', 'print', 'printf', 'range', 'with']),
    )
  })

  test('shows notes that name what is there', () => {
    expect(renderTemplate('NOTES.txt', small)).toContain('weir-api (8080) is reachable')
    expect(renderTemplate('NOTES.txt', production)).toContain('weir-gateway (8090) are reachable')
  })

  test('has the version of the program', () => {
    expect(parse(chartFile('Chart.yaml'))).toMatchObject({ apiVersion: 'v2', version, appVersion: version })
  })
})

describe('the schema of the values', () => {
  const validate = new Ajv({ allErrors: true, strict: false }).compile(
    JSON.parse(chartFile('values.schema.json')) as object,
  )
  const isValid = (over: Values) => validate(valuesWith(over))

  test('takes the values that are shipped', () => {
    expect(validate(small)).toBe(true)
    expect(validate(production)).toBe(true)
  })

  test.each<[string, Values]>([
    ['a value that the chart does not have', { replica: 3 }],
    ['a setting that is no text', { settings: { SVC_LANES: 4 } }],
    ['a port that no probe asks', { settings: { SVC_METRICS_PORT: '9091' } }],
    ['an image that closes its quotes', { image: { repository: 'x"\n  command: ["sh"]' } }],
    ['a tag that does', { image: { tag: '1"' } }],
    ['a digest that is none', { image: { digest: 'sha256:abc' } }],
    ['no worker', { worker: { replicas: 0 } }],
    ['a switch that is a word', { gateway: { enabled: 'no' } }],
    ['a name that is no name', { secretNames: { server: 'Weir Secret' } }],
    ['an amount that is no amount', { api: { resources: { limits: { memory: '1 GB' } } } }],
  ])('refuses %s', (_, over) => {
    expect(isValid(over)).toBe(false)
  })

  test('refuses every setting that is a secret: it would stand in a ConfigMap', () => {
    const secrets = Object.values(settings).filter((setting) => 'isSecret' in setting)
    expect(secrets.length).toBeGreaterThanOrEqual(6)
    for (const { variable: name } of secrets)
      expect({ name, taken: isValid({ settings: { [name]: 'x' } }) }).toEqual({ name, taken: false })
  })
})
