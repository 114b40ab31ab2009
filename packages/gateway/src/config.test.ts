import { expect, test } from 'vitest'
import { configInGuide } from '../test/support/guide.ts'
import { checkConfig } from './config.ts'

const good = {
  weir: { url: 'http://weir:8080' },
  providers: {
    openai: { kind: 'openai', base_url: 'https://api.openai.com', credential: { header: 'authorization', env: 'KEY' } },
  },
}
const env = { KEY: 'sk-secret-value' }

const faultsOf = (value: unknown, environment: NodeJS.ProcessEnv = env): string => {
  try {
    checkConfig(value, environment)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('a small configuration is enough', () => {
  expect(faultsOf(good)).toBe('')
})

test.each<[string, object, RegExp]>([
  [
    'a provider that is not configured',
    { models: [{ name: 'gpt-4o', provider: 'azure' }] },
    /models\.0 names the provider azure/,
  ],
  [
    'a fallback that is not configured',
    { models: [{ prefix: 'gpt-', provider: 'openai', fallback: ['x'] }] },
    /provider x/,
  ],
  [
    'an alias of an alias',
    {
      models: [
        { name: 'a', alias: 'b' },
        { name: 'b', alias: 'c' },
      ],
    },
    /models\.0 is an alias of an alias/,
  ],
  ['a misspelled field', { fitt: {} }, /the file must NOT have additional properties: fitt/],
  ['an address that is none', { weir: { url: 'weir:8080' } }, /weir\.url is not an http or https address/],
  ['no provider', { providers: {} }, /providers must have at least one/],
  ['a model of an unknown form', { models: [{ nam: 'gpt-4o' }] }, /models\.0 must have "name"/],
  [
    'a kind that does not exist',
    { providers: { x: { ...good.providers.openai, kind: 'opnai' } } },
    /providers\.x\.kind.*openai/,
  ],
  [
    'a variable that is not set',
    { providers: { x: { ...good.providers.openai, credential: { header: 'a', env: 'NOPE' } } } },
    /variable NOPE is not set/,
  ],
  [
    'two sources of a secret',
    { weir: { url: 'http://weir', settlement_key: { env: 'KEY', file: '/x' } } },
    /weir\.settlement_key must have "env" or "file"/,
  ],
  [
    'a secret in the file',
    { providers: { x: { ...good.providers.openai, credential: { header: 'a', value: 'sk-secret-value' } } } },
    /credential must be/,
  ],
  [
    'a field of another kind of provider',
    { providers: { x: { ...good.providers.openai, api_version: '1' } } },
    /providers\.x\.api_version is for azure only/,
  ],
  [
    'a model without a deployment',
    {
      providers: { x: { ...good.providers.openai, kind: 'azure', deployments: { 'gpt-4o': 'prod' } } },
      models: [{ name: 'gpt-5', provider: 'x' }],
    },
    /models\.0: gpt-5 is not among the models of the provider x/,
  ],
])('%s is a fault that is named', (_, change, message) => {
  const said = faultsOf({ ...good, ...change })
  expect(said).toMatch(message)
  expect(said).not.toContain('sk-secret-value')
})

test('all faults of a cloud are said at once, without its secrets', () => {
  const credential = { aws: { access_key_id: { env: 'KEY' }, secret_access_key: { env: 'NOPE' } } }
  const said = faultsOf({
    ...good,
    providers: {
      a: { kind: 'bedrock-anthropic', on_client_gone: 'abort', credential: { client: true } },
      b: { kind: 'bedrock-anthropic', region: 'eu-central-1', model_ids: {}, api_version: '1', credential },
      c: { ...good.providers.openai, region: 'eu', credential },
      d: { kind: 'openai', credential: { none: true } },
      e: { kind: 'bedrock-anthropic', region: 'eu', model_ids: {}, credential: { aws: { exported: { env: 'KEY' } } } },
      f: {
        kind: 'bedrock-anthropic',
        region: 'eu',
        model_ids: {},
        credential: { aws: { session_token: { env: 'KEY' } } },
      },
    },
    models: [{ name: 'claude-sonnet-4-5', provider: 'b' }],
  })
  for (const fault of [
    /a\.region is missing/,
    /a\.model_ids is missing/,
    /a\.on_client_gone cannot be abort/,
    /a\.credential cannot be the caller's/,
    /b\.api_version is for azure only/,
    /b\.credential\.aws\.secret_access_key: the environment variable NOPE is not set/,
    /c\.region is for bedrock-anthropic, vertex-anthropic, vertex-gemini only/,
    /d\.base_url is missing: openai needs it/,
    /e\.credential\.aws\.exported: exported keys of Amazon must be JSON/,
    /f\.credential\.aws must have access_key_id and secret_access_key, or exported/,
    /c\.credential\.aws is for bedrock-anthropic only/,
    /models\.0: claude-sonnet-4-5 is not among the models of the provider b/,
  ])
    expect(said).toMatch(fault)
  expect(said).not.toContain('sk-secret-value')
})

test('all faults are said at once', () => {
  const said = faultsOf({
    ...good,
    weir: { url: 'x' },
    models: [
      { name: 'a', provider: 'b' },
      { name: 'c', provider: 'd' },
    ],
  })
  expect(said.split('\n')).toHaveLength(4)
})

test.each([
  ['a key that is no JSON', 'sk-secret-value', /credential\.google: the key of a service account must be JSON/],
  ['a key without its parts', '{"token_uri":"https://x"}', /has no client_email/],
  [
    'a private key that is none',
    '{"client_email":"a@b","private_key":"sk-secret-value","token_uri":"https://x"}',
    /private_key of the service account is not a private key of RSA/,
  ],
  ['an address of tokens that is none', '{"token_uri":"file:///etc"}', /token_uri of the service account is not/],
])('%s of Google is a fault, and is not shown', (_, key, message) => {
  const { models: _models, ...guide } = configInGuide('Vertex AI')
  const vertex = { ...guide.providers['vertex'], project: undefined, credential: { google: { env: 'GOOGLE' } } }
  const said = faultsOf(
    { ...good, providers: { vertex: JSON.parse(JSON.stringify(vertex)) as object } },
    { GOOGLE: key },
  )
  expect(said).toMatch(message)
  expect(said).toMatch(/providers\.vertex\.project is missing/)
  expect(said).not.toContain('sk-secret-value')
})

test.each(['Azure', 'Bedrock'])('the configuration that the guide shows for %s is right', (section) => {
  const secrets = { KEY: 'x', AZURE_OPENAI_API_KEY: 'x', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' }
  expect(faultsOf({ ...good, ...configInGuide(section) }, secrets)).toBe('')
})
