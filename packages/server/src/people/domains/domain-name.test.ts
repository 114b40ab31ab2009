import { expect, test } from 'vitest'
import { domainOfEmail, normalDomain } from './domain-name.ts'

test.each([
  ['acme.example', 'acme.example'],
  ['ACME.Example', 'acme.example'],
  [' acme.example. ', 'acme.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['a.b.c.example', 'a.b.c.example'],
])('%j is the domain %s', (text, domain) => {
  expect(normalDomain(text)).toBe(domain)
})

test.each([
  '',
  'example',
  '.example',
  'acme..example',
  '-acme.example',
  'acme-.example',
  'acme.example/x',
  'acme.example:80',
  '127.0.0.1',
  '[::1]',
  'a@acme.example',
  'acme example.com',
  '*.example',
  '_dmarc.acme.example',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(130)}example`,
])('%j is no domain', (text) => {
  expect(normalDomain(text)).toBe(undefined)
})

test('the domain of an address is what stands behind its last @', () => {
  expect(domainOfEmail('Ada@ACME.example')).toBe('acme.example')
  expect(domainOfEmail('"ada@evil.example"@acme.example')).toBe('acme.example')
  expect(domainOfEmail('ada@acme.example@evil.example')).toBe('evil.example')
  expect(domainOfEmail('@acme.example')).toBe(undefined)
  expect(domainOfEmail('acme.example')).toBe(undefined)
})
