import { readFileSync } from 'node:fs'
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { Job } from 'kubernetes-types/batch/v1.d.ts'
import type { ConfigMap, PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import ts from 'typescript'
import { parseAllDocuments } from 'yaml'
import { renderedPath } from '../../scripts/kubernetes.ts'

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly [field: string]: unknown
}

export const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest)

export const rendered = (name: string) => manifestsIn(readFileSync(renderedPath(name), 'utf8'))

export interface Workload {
  readonly name: string
  readonly replicas: number | undefined
  readonly template: PodTemplateSpec
}

/** The Deployments and Jobs among manifests. */
export const workloadsIn = (manifests: readonly Manifest[]): Workload[] =>
  manifests
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map((manifest) => {
      const { spec } = manifest as unknown as Deployment & Job
      return { name: manifest.metadata.name, replicas: spec!.replicas, template: spec!.template }
    })

/** The variables of a container: its own, and those of the ConfigMaps that it names. */
export function environmentOf({ template }: Workload, manifests: readonly Manifest[]): Record<string, string> {
  const [container] = template.spec!.containers
  const maps = (container!.envFrom ?? []).map(({ configMapRef }) => {
    const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef!.name)
    return (map as unknown as ConfigMap).data!
  })
  const own = Object.fromEntries((container!.env ?? []).map(({ name, value }) => [name, value!]))
  return Object.assign({}, ...maps, own) as Record<string, string>
}

const groups: Readonly<Record<string, string>> = { '': 'core', 'networking.k8s.io': 'networking' }

/** The Prometheus operator’s own kind, as far as it is used here; nobody publishes types of it. */
const serviceMonitor = `interface ServiceMonitor {
  apiVersion: 'monitoring.coreos.com/v1'; kind: 'ServiceMonitor'; metadata: { name: string; labels?: Record<string, string> }
  spec: { selector: { matchLabels: Record<string, string> }; endpoints: { port: string; path: string; interval: string }[] }
}`

/** Checks manifests against the types that follow from the API of Kubernetes; a field that it does not know is a fault. */
export function schemaFaults(manifests: readonly Manifest[]): string[] {
  const lines = manifests.map((manifest, index) => {
    const { apiVersion, kind } = manifest
    const [version, group = ''] = apiVersion.split('/').toReversed() as [string, string?]
    const type =
      kind === 'ServiceMonitor'
        ? kind
        : `import('kubernetes-types/${groups[group] ?? group.split('.')[0]}/${version}').${kind}`
    return `export const m${index}: ${type} = ${JSON.stringify(manifest)}`
  })
  // Beside this file, so that the package is found.
  const path = new URL('./manifests-under-check.ts', import.meta.url).pathname
  const source = [serviceMonitor, ...lines].join('\n')
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  }
  const host = ts.createCompilerHost(options)
  const fileExists = host.fileExists.bind(host)
  const getSourceFile = host.getSourceFile.bind(host)
  host.fileExists = (file) => file === path || fileExists(file)
  host.getSourceFile = (file, ...rest) =>
    file === path ? ts.createSourceFile(file, source, ts.ScriptTarget.ES2022) : getSourceFile(file, ...rest)
  const program = ts.createProgram([path], options, host)
  return ts.getPreEmitDiagnostics(program).map(({ messageText, file, start }) => {
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line : 0
    const name =
      file?.fileName === path ? lines[line - serviceMonitor.split('\n').length]?.slice(0, 90) : file?.fileName
    return `${name}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
}
