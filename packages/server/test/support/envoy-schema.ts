import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import protobuf from 'protobufjs'

/**
 * Envoy's own description of its configuration, as gRPC publishes it: a reader that knows every field and no other. It stands for Envoy,
 * which no distribution packages, as far as the form goes.
 */
const deps = join(dirname(createRequire(import.meta.url).resolve('@grpc/grpc-js-xds/package.json')), 'deps')
const ownTypes = dirname(createRequire(import.meta.url).resolve('protobufjs/package.json'))
const folders = [...['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map((name) => join(deps, name)), ownTypes]

const files = [
  'envoy/config/bootstrap/v3/bootstrap.proto',
  'envoy/extensions/clusters/aggregate/v3/cluster.proto',
  'envoy/extensions/filters/http/ext_authz/v3/ext_authz.proto',
  'envoy/extensions/filters/http/buffer/v3/buffer.proto',
  'envoy/extensions/filters/http/router/v3/router.proto',
  'envoy/extensions/filters/listener/proxy_protocol/v3/proxy_protocol.proto',
  'envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.proto',
  'envoy/extensions/transport_sockets/tls/v3/tls.proto',
  'envoy/extensions/upstreams/http/v3/http_protocol_options.proto',
]

let loaded: protobuf.Root | undefined
function schema(): protobuf.Root {
  if (loaded) return loaded
  const root = new protobuf.Root()
  root.resolvePath = (_origin, target) => folders.map((folder) => join(folder, target)).find(existsSync) ?? target
  root.loadSync(
    files.filter((file) => existsSync(join(deps, 'envoy-api', file))),
    { keepCase: true },
  )
  root.resolveAll()
  return (loaded = root)
}

const wrapped: Readonly<Record<string, 'number' | 'boolean' | 'string'>> = {
  UInt32Value: 'number',
  UInt64Value: 'number',
  Int32Value: 'number',
  DoubleValue: 'number',
  BoolValue: 'boolean',
  StringValue: 'string',
}

/** Everything in a configuration that Envoy's description does not allow, by its place. */
export function envoyFaults(configuration: unknown): string[] {
  return faultsOf(schema().lookupType('envoy.config.bootstrap.v3.Bootstrap'), configuration, '')
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function faultsOf(type: protobuf.Type, value: unknown, at: string): string[] {
  const [, wellKnown] = /^\.google\.protobuf\.(\w+)$/.exec(type.fullName) ?? []
  if (wellKnown === 'Duration') return /^\d+(?:\.\d+)?s$/.test(String(value)) ? [] : [`${at} is no duration`]
  if (wellKnown === 'Any') return faultsOfAny(value, at)
  const plain = wrapped[wellKnown ?? '']
  if (plain !== undefined) return typeof value === plain ? [] : [`${at} is no ${plain}`]
  if (!isObject(value)) return [`${at} is no object of ${type.name}`]
  const faults = Object.entries(value).flatMap(([name, part]) => {
    const field = type.fields[name]
    return field ? faultsOfField(field, part, `${at}.${name}`) : [`${at}.${name} is no field of ${type.name}`]
  })
  for (const field of type.fieldsArray)
    if (field.options?.['(validate.rules).message.required'] === true && !(field.name in value) && !field.partOf)
      faults.push(`${at}.${field.name} of ${type.name} is missing`)
  for (const { name, oneof, options } of type.oneofsArray) {
    const given = oneof.filter((one) => one in value)
    if (given.length > 1) faults.push(`${at} has both ${given.join(' and ')}`)
    if (given.length === 0 && options?.['(validate.required)'] === true) faults.push(`${at} has no ${name}`)
  }
  return faults
}

function faultsOfField(field: protobuf.Field, value: unknown, at: string): string[] {
  if (field instanceof protobuf.MapField)
    return isObject(value)
      ? Object.entries(value).flatMap(([key, part]) => faultsOfValue(field, part, `${at}.${key}`))
      : [`${at} is no map`]
  if (!field.repeated) return faultsOfValue(field, value, at)
  if (!Array.isArray(value)) return [`${at} is no list`]
  const least = Number(field.options?.['(validate.rules).repeated.min_items'] ?? 0)
  return [
    ...(value.length < least ? [`${at} has less than ${least} items`] : []),
    ...value.flatMap((part, i) => faultsOfValue(field, part, `${at}[${i}]`)),
  ]
}

function faultsOfValue(field: protobuf.Field, value: unknown, at: string): string[] {
  const { resolvedType, type } = field
  if (resolvedType instanceof protobuf.Type) return faultsOf(resolvedType, value, at)
  if (resolvedType instanceof protobuf.Enum)
    return typeof value === 'string' && value in resolvedType.values ? [] : [`${at} is no ${resolvedType.name}`]
  const expected = type === 'bool' ? 'boolean' : type === 'string' || type === 'bytes' ? 'string' : 'number'
  if (typeof value !== expected) return [`${at} is no ${expected}`]
  const isEmpty = value === '' && Number(field.options?.['(validate.rules).string.min_len'] ?? 0) > 0
  return isEmpty ? [`${at} is empty`] : []
}

function faultsOfAny(value: unknown, at: string): string[] {
  if (!isObject(value) || typeof value['@type'] !== 'string') return [`${at} names no type`]
  const { '@type': url, ...rest } = value
  const name = url.replace('type.googleapis.com/', '')
  try {
    return faultsOf(schema().lookupType(name), rest, at)
  } catch {
    return [`${at} has the type ${name}, which is not known`]
  }
}
