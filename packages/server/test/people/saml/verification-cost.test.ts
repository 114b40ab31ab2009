import { expect, test } from 'vitest'
import { readIdpMetadata, type SamlRefusal, verifyAnswer } from '../../../src/people/saml/saml.ts'
import {
  attacker,
  attributeOf,
  connection,
  encoded,
  now,
  signedAnswer,
  unsignedAnswer,
} from '../../support/saml/answers.ts'
import { sign } from '../../support/saml/signer.ts'

/** Costs as CPU time, as ratios to an honest answer of the same size: whoever has no key of the provider must not cost as much. */

const maxCharacters = 256 * 1_024
const rounds = 3
const verify = (message: string) => verifyAnswer(message, connection, { now, claimRequest: async () => true })

async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** The median of ratios of neighbours, so that a busy moment of the machine is in both of them. */
async function ratio(hostile: () => unknown, plain: () => unknown): Promise<number> {
  await hostile()
  await plain()
  const ratios: number[] = []
  for (let i = 0; i < rounds; i++) ratios.push((await cpuMs(hostile)) / (await cpuMs(plain)))
  return ratios.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.POSITIVE_INFINITY
}

/** Repeats a piece, as often as the bound on the size of a message leaves room for. */
const filled = (make: (inner: string) => string, piece: (index: number) => string): string => {
  const room = Math.floor((maxCharacters * 3) / 4) - make('').length - 100
  let inner = ''
  for (let i = 0; inner.length + piece(i).length <= room; i++) inner += piece(i)
  return make(inner)
}
const inExtensions = (inner: string) =>
  unsignedAnswer({ extensions: `<samlp:Extensions xmlns:x="urn:x">${inner}</samlp:Extensions>` })
const unsignedGroups = (inner: string) =>
  unsignedAnswer({ attributes: `<saml:AttributeStatement>${inner}</saml:AttributeStatement>` })
const group = (i: number) => attributeOf(`group-${i % 10}`, `${'0123456789abcdef'.repeat(8)}-${i}`)
const plain = encoded(
  filled((inner) => signedAnswer({ attributes: `<saml:AttributeStatement>${inner}</saml:AttributeStatement>` }), group),
)
const dtd = (subset: string, inner = '') => `<!DOCTYPE x [${subset}]>${unsignedAnswer({ extensions: inner })}`
const signedByAnother = (xml: string) => sign(xml, { key: attacker.privateKey })

const hostile: readonly [string, SamlRefusal, string][] = [
  ['a document of entities', 'dtd', filled(dtd, (i) => `<!ENTITY e${i} "${'x'.repeat(5)}">`)],
  ['entities of entities', 'dtd', filled(dtd, (i) => `<!ENTITY e${i + 1} "&e${i};&e${i};">`)],
  [
    'declarations without a document type',
    'dtd',
    filled(
      (inner) => unsignedAnswer({ extensions: inner }),
      () => '<!x>',
    ),
  ],
  [
    'references to one entity',
    'dtd',
    filled(
      (inner) => dtd('<!ENTITY a "aaaaaaaaaa">', inner),
      () => '&a;',
    ),
  ],
  ['references to an entity nobody declared', 'entity_reference', filled(inExtensions, () => '&a;')],
  ['references to characters', 'signature_missing', filled(inExtensions, () => '&#65;')],
  ['comments', 'comment', filled(inExtensions, () => '<!---->')],
  ['comments that do not end', 'comment', filled(inExtensions, () => '<!--')],
  ['sections of character data', 'cdata', filled(inExtensions, () => '<![CDATA[]]>')],
  ['processing instructions', 'processing_instruction', filled(inExtensions, () => '<?x?>')],
  ['nesting', 'too_complex', filled(inExtensions, () => '<x:a>')],
  ['elements', 'too_complex', filled(inExtensions, () => '<x:a/>')],
  ['names of elements', 'too_complex', filled(inExtensions, (i) => `<x:a${i}/>`)],
  [
    'attributes',
    'too_complex',
    filled(
      (inner) => inExtensions(`<x:a${inner}/>`),
      (i) => ` a${i}=""`,
    ),
  ],
  [
    'prefixes',
    'too_complex',
    filled(
      (inner) => inExtensions(`<x:a${inner}/>`),
      (i) => ` xmlns:p${i}="urn:p"`,
    ),
  ],
  [
    'space in a tag',
    'not_well_formed',
    filled(
      (inner) => inExtensions(`<x:a${inner}x`),
      () => ' ',
    ),
  ],
  [
    'quotes that do not end',
    'not_well_formed',
    filled(
      (inner) => inExtensions(`<x:a b="${inner}`),
      () => 'x',
    ),
  ],
  ['brackets', 'not_well_formed', filled(inExtensions, () => '<')],
  ['groups, not signed', 'signature_missing', filled(unsignedGroups, group)],
  [
    'groups, signed by another key',
    'signature_invalid',
    filled((inner) => signedByAnother(unsignedGroups(inner)), group),
  ],
  ['as many elements as may be', 'signature_missing', inExtensions('<x:a b="0123456789abcdefghij"/>'.repeat(4_900))],
]

test.each(hostile)(
  'an answer full of %s costs less than half of an honest one',
  { timeout: 60_000 },
  async (_, refusal, xml) => {
    const message = encoded(xml)
    expect(message.length).toBeLessThanOrEqual(maxCharacters)
    expect(message.length).toBeGreaterThan(maxCharacters / 2)
    expect(await verify(message)).toEqual({ refusal })
    expect(await verify(plain)).toMatchObject({ subject: {} })
    expect(
      await ratio(
        () => verify(message),
        () => verify(plain),
      ),
    ).toBeLessThan(0.5)
  },
)

test('a message of a million entities costs next to nothing, as it is never decoded', async () => {
  const entities = Array.from({ length: 1_000_000 }, (_, i) => `<!ENTITY e${i} "x">`).join('')
  const message = encoded(dtd(entities))
  expect(await verify(message)).toEqual({ refusal: 'too_large' })
  expect(
    await ratio(
      () => verify(message),
      () => verify(plain),
    ),
  ).toBeLessThan(0.1)
})

test('metadata of a million entities costs next to nothing, and full of entities less than an answer', async () => {
  const read = (xml: string) => readIdpMetadata(xml, { allowLoopbackHttp: false })
  const million = dtd(Array.from({ length: 1_000_000 }, (_, i) => `<!ENTITY e${i} "x">`).join(''))
  expect(read(million)).toEqual({ fault: 'too_large' })
  expect(
    await ratio(
      () => read(million),
      () => verify(plain),
    ),
  ).toBeLessThan(0.1)
  const full = filled(dtd, (i) => `<!ENTITY e${i} "x">`)
  expect(read(full)).toEqual({ fault: 'not_plain_xml' })
  expect(
    await ratio(
      () => read(full),
      () => verify(plain),
    ),
  ).toBeLessThan(1)
})
