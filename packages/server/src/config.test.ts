import { Resolver } from 'node:dns'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { type ConfigurationError, documentedSettings, readConfig, readMasterKeys } from './config.ts'
import { settings } from './settings.ts'

const required = {
  SVC_DATABASE_URL: 'postgres://weir:hunter2@db/weir',
  SVC_REDIS_URL: 'redis://:hunter2@cache',
  SVC_MASTER_KEYS: `a:${Buffer.alloc(32, 9).toString('base64')}`,
}

const faultsOf = (environment: Record<string, string>) => {
  try {
    readConfig(environment)
  } catch (error) {
    return [...(error as ConfigurationError).faults]
  }
  return []
}

test('what is required and nothing else makes a configuration, with its defaults', () => {
  const { config, warnings } = readConfig(required)
  expect(config).toMatchObject({
    port: 8080,
    host: '127.0.0.1',
    bodyLimitBytes: 1_048_576,
    bulkBodyLimitBytes: 16_777_216,
    inputBodyLimitBytes: 5_242_880,
    drainSeconds: 5,
  })
  expect(config.readLimitPerMinute).toBeUndefined()
  expect(warnings).toEqual([])
})

test('all faults are reported together', () => {
  expect(
    faultsOf({ SVC_PORT: '70000', SVC_LOG_LEVEL: 'loud', SVC_DATABASE_URL: 'db', SVC_PUBLIC_URL: 'ftp://x' }),
  ).toEqual([
    'SVC_PORT must be an integer from 0 to 65535',
    'SVC_PUBLIC_URL must be a URL that begins with http:// or https://',
    'SVC_DATABASE_URL must be a URL that begins with postgres:// or postgresql://',
    'SVC_REDIS_URL is required: Redis or Valkey, for rate limits only; with TLS: `rediss://`.',
    expect.stringMatching(/^SVC_MASTER_KEYS is required/),
    'SVC_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal',
  ])
})

test.each(['1e3', '-1', '1.5', ' 8080', '0x50', 'eighty'])('a port of %j is a fault', (port) => {
  expect(faultsOf({ ...required, SVC_PORT: port })).toHaveLength(1)
})

test('an empty variable counts as unset', () => {
  expect(readConfig({ ...required, SVC_PORT: '' }).config.port).toBe(8080)
  expect(faultsOf({ ...required, SVC_REDIS_URL: '' })).toHaveLength(1)
})

test('unknown variables are warned about, with the nearest name where one is near', () => {
  const { warnings } = readConfig({ ...required, SVC_PROT: '1', SVC_COMPLETELY_DIFFERENT_THING: '1', OTHER: '1' })
  expect(warnings).toEqual([
    'SVC_PROT is not a known setting; did you mean SVC_PORT?',
    'SVC_COMPLETELY_DIFFERENT_THING is not a known setting.',
  ])
})

test('a deprecated variable works, and names its replacement', () => {
  const { config, warnings } = readConfig({ ...required, SVC_READ_LIMIT_PER_MINUTE: '600' })
  expect(config.readLimitPerMinute).toBe(600)
  expect(warnings).toEqual([
    expect.stringMatching(
      /^SVC_READ_LIMIT_PER_MINUTE is deprecated; use org_rate_limits\.read_rpm and rate_limit_policies/,
    ),
  ])
})

test('an address loses its trailing slash, so that paths can be appended', () => {
  expect(readConfig({ ...required, SVC_PUBLIC_URL: 'https://weir.example.com/' }).config.publicUrl).toBe(
    'https://weir.example.com',
  )
})

test('printing the configuration shows no secret', () => {
  const { config } = readConfig(required)
  expect(JSON.stringify(config) + inspect(config, { depth: 9 }) + String(config.databaseUrl)).not.toContain('hunter2')
  expect(config.databaseUrl.reveal()).toContain('hunter2')
})

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-config-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  const file = (content: string) => {
    const path = join(folder, `secret-${crypto.randomUUID()}`)
    writeFileSync(path, content)
    return path
  }
  /** Those that are secret, and not required. */
  const optional = {
    SVC_MIGRATE_DATABASE_URL: required.SVC_DATABASE_URL,
    SVC_SMTP_URL: 'smtp://relay.example.com',
    SVC_MAIL_FROM: 'weir@example.com',
    SVC_CELL_LINK_KEYS: `link:${Buffer.alloc(32, 201).toString('base64')}`,
  }
  const secrets = documentedSettings.filter(({ isSecret }) => isSecret).map(({ variable }) => variable)

  test('may be every setting that is one', () => {
    const { config } = readConfig({ ...required, ...optional })
    const hidden = Object.entries(settings).filter(([name]) => {
      const value = (config as unknown as Record<string, unknown>)[name]
      return typeof value === 'function' || (typeof value === 'object' && value !== null && 'reveal' in value)
    })
    expect(hidden.map(([, { variable }]) => variable)).toEqual(secrets)
    expect(secrets).toHaveLength(6)
  })

  test.each([
    ['', ''],
    ['\n', ''],
    ['\r\n', ''],
    ['\n\n', '\n'],
  ])('loses one line break at its end: %j', (ending, left) => {
    const { SVC_MASTER_KEYS, SVC_DATABASE_URL, ...others } = required
    const { config, warnings } = readConfig({
      ...others,
      SVC_DATABASE_URL_FILE: file(`${SVC_DATABASE_URL}${ending}`),
      SVC_MASTER_KEYS_FILE: file(`${SVC_MASTER_KEYS}\n`),
    })
    expect(config.databaseUrl.reveal()).toBe(`${SVC_DATABASE_URL}${left}`)
    expect(config.masterKeys()).toEqual(readConfig(required).config.masterKeys())
    expect(warnings).toEqual([])
  })

  test('is read by commands that need the master keys alone, too', () => {
    const { masterKeys } = readMasterKeys({ SVC_MASTER_KEYS_FILE: file(`${required.SVC_MASTER_KEYS}\n`) })
    expect(masterKeys()).toEqual(readConfig(required).config.masterKeys())
  })

  test.each(secrets)('beside %s itself is a fault', (variable) => {
    const path = file('anything')
    const faults = faultsOf({ ...required, ...optional, [`${variable}_FILE`]: path })
    expect(faults).toEqual([`${variable} and ${variable}_FILE are both set; set one of them`])
  })

  test('that cannot be read, is empty or is wrong is a fault that repeats neither path nor content', () => {
    const { SVC_MASTER_KEYS, ...others } = required
    // The mistake to expect: the secret instead of the path.
    expect(faultsOf({ ...others, SVC_MASTER_KEYS_FILE: SVC_MASTER_KEYS })).toEqual([
      'SVC_MASTER_KEYS cannot be read from the file that SVC_MASTER_KEYS_FILE names (ENOENT)',
    ])
    expect(faultsOf({ ...others, SVC_MASTER_KEYS_FILE: folder })).toEqual([
      'SVC_MASTER_KEYS cannot be read from the file that SVC_MASTER_KEYS_FILE names (EISDIR)',
    ])
    expect(faultsOf({ ...others, SVC_MASTER_KEYS_FILE: file('\n') })).toEqual([
      'SVC_MASTER_KEYS is empty in the file that SVC_MASTER_KEYS_FILE names',
    ])
    expect(faultsOf({ ...others, SVC_MASTER_KEYS_FILE: file('hunter2') })).toEqual([
      'SVC_MASTER_KEYS must be `id:base64` of 32 bytes, or several separated by commas',
    ])
  })

  test('is only for secrets', () => {
    expect(readConfig({ ...required, SVC_PORT_FILE: file('1') }).warnings).toEqual([
      expect.stringContaining('SVC_PORT_FILE is not a known setting'),
    ])
  })
})

test('the time limit of handlers must be below the takeover of idempotency keys', () => {
  expect(faultsOf({ ...required, SVC_HANDLER_TIMEOUT_SECONDS: '60' })).toEqual([
    'SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS (60) must be greater than SVC_HANDLER_TIMEOUT_SECONDS (60)',
  ])
})

test.each([
  ['1', 0.9],
  ['10', 9],
  ['60', 30],
  ['600', 30],
])('with a takeover of %s seconds alone, the time limit of handlers is %s', (takeover, limit) => {
  const { config } = readConfig({ ...required, SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS: takeover })
  expect(config.handlerTimeoutSeconds).toBe(limit)
})

test('webhooks go to public addresses on a few ports, unless told otherwise', () => {
  expect(readConfig(required).config).toMatchObject({
    webhookAllowedCidrs: [],
    webhookAllowedPorts: [80, 443, 8080, 8443].map((port) => ({ first: port, last: port })),
    webhookDnsServers: undefined,
    webhookTimeoutSeconds: 15,
    webhookRetrySeconds: [5, 30, 120, 900, 3_600, 14_400, 43_200, 86_400],
    webhookConcurrency: 256,
  })
  const { config } = readConfig({
    ...required,
    SVC_WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8, ::1',
    SVC_WEBHOOK_ALLOWED_PORTS: '443, 8000-8999',
    SVC_WEBHOOK_DNS_SERVERS: '192.0.2.1, 192.0.2.1:5353, 2001:db8::1, [2001:db8::1], [2001:db8::1]:5353',
    SVC_WEBHOOK_RETRY_SECONDS: '1, 2',
  })
  expect(config).toMatchObject({
    webhookAllowedCidrs: ['10.0.0.0/8', '::1'],
    webhookAllowedPorts: [
      { first: 443, last: 443 },
      { first: 8_000, last: 8_999 },
    ],
    webhookRetrySeconds: [1, 2],
  })
  expect(() => new Resolver().setServers(config.webhookDnsServers!)).not.toThrow()
})

test.each([
  ['SVC_WEBHOOK_ALLOWED_CIDRS', ['localhost', '10.0.0.0/33', '10.0.0.0/8,']],
  ['SVC_WEBHOOK_ALLOWED_PORTS', ['0', '65536', '90-80', 'http', '80;443', '80,', '-80', '1-2-3']],
  [
    'SVC_WEBHOOK_DNS_SERVERS',
    ['dns.example', '192.0.2.1:0', '192.0.2.1:65536', '[192.0.2.1]:53', '192.0.2.1,', '::1]'],
  ],
  ['SVC_WEBHOOK_TIMEOUT_SECONDS', ['0', '301', '1.5']],
  ['SVC_WEBHOOK_RETRY_SECONDS', ['0', '5,', '5;30', '604801', '-1', '1e3', Array(21).fill('1').join(',')]],
  ['SVC_WEBHOOK_CONCURRENCY', ['0', '10001']],
])('%s is not taken for something else', (variable, values) => {
  for (const value of values) {
    expect(faultsOf({ ...required, [variable]: value }), value).toEqual([
      expect.stringContaining(`${variable} must be `),
    ])
  }
})

describe('the master key that compose.yaml of 0.1.0 published', () => {
  const published = 'local:bG9jYWwtb25seS1sb2NhbC1vbmx5LWxvY2FsLW9ubHk='
  const own = `own:${Buffer.alloc(32, 9).toString('base64')}`
  const within = (url: string | undefined, keys: string) => ({
    ...required,
    SVC_MASTER_KEYS: keys,
    ...(url && { SVC_PUBLIC_URL: url }),
  })

  test.each([
    'https://weir.example.com',
    'http://10.0.0.7:8080',
    'http://0.0.0.0:8080',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://[2001:db8::1]',
    'https://localhost@weir.example.com',
  ])('is refused at %s, under whatever id', (url) => {
    for (const keys of [published, published.replace(/^\w+/, '2026'), `${published},${own}`])
      expect(faultsOf(within(url, keys))).toEqual([expect.stringMatching(/published.*openssl rand -base64 32/)])
  })

  test.each([undefined, 'http://localhost:8080', 'http://127.0.0.1', 'http://127.8.9.1:80', 'http://[::1]:8080'])(
    'serves at %s, with a warning',
    (url) => {
      expect(readConfig(within(url, published)).warnings).toEqual([expect.stringContaining('trials on this machine')])
    },
  )

  test('may stand behind another one until a rotation has ended, and is warned about', () => {
    const { config, warnings } = readConfig(within('https://weir.example.com', `${own},${published}`))
    expect(config.masterKeys()).toHaveLength(2)
    expect(warnings).toEqual([expect.stringContaining('finish the rotation')])
  })
})
