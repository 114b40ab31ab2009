import { describe, expect, test } from 'vitest'
import { scanMarkup } from './markup.ts'

describe('the scanner takes for well-formed', () => {
  test.each([
    '<a/>',
    '<a></a>',
    ' <a b="1" c=\'2\'>x &amp; y</a>\n',
    '<?xml version="1.0" encoding="utf-8" standalone="yes"?><p:a xmlns:p="urn:p" p:b=">"><p:c/></p:a >',
    '<!DOCTYPE a [<!ENTITY b "<c>">]><a><!-- <d> --><![CDATA[<e>]]><?f <g>?></a>',
  ])('%s', (text) => {
    expect(scanMarkup(text).isWellFormed).toBe(true)
  })
})

describe('the scanner does not take for well-formed', () => {
  test.each([
    '',
    'a',
    '<a>',
    '</a>',
    '<a></b>',
    '<a><b></a></b>',
    '<a/><b/>',
    '<a/>b',
    'a<b/>',
    '<a></a></a>',
    '<a b/>',
    '<a b=1/>',
    '<a b="1"c="2"/>',
    '<a b="1" b="2"/>',
    '<a b="<"/>',
    '<a b="1/>',
    '<a></a b="1">',
    '<a></a/>',
    '< a/>',
    '<1/>',
    '<a:b:c/>',
    '<a><!-- </a>',
    '<a><![CDATA[</a>',
    '<a><?b</a>',
    '<!DOCTYPE a [<a/>',
    '<a>\u0000</a>',
    '<a>\uFFFE</a>',
  ])('%j', (text) => {
    expect(scanMarkup(text).isWellFormed).toBe(false)
  })
})

test('the scanner counts what a parser’s work grows with', () => {
  const text = '<a xmlns="urn:a" xmlns:p="urn:p"><b c="" d="" e=""><a xmlns:p="urn:q"/></b><b/></a>'
  expect(scanMarkup(text).size).toEqual({ elements: 4, depth: 3, attributesOfOne: 3, names: 2, prefixes: 2 })
})

test.each([
  ['&amp;&lt;&gt;&quot;&apos;&#65;&#x41;&#x1F600;', false],
  ['&nbsp;', true],
  ['&', true],
  ['&AMP;', true],
  ['&#0;', true],
  ['&#xD800;', true],
  ['&#x110000;', true],
  ['&#-1;', true],
])('%s has references to something else than characters: %s', (text, expected) => {
  expect(scanMarkup(`<a>${text}</a>`).hasUnknownReference).toBe(expected)
})
