import { isUtf8 } from 'node:buffer'
import { rulesNamed } from '../answer-rules/answer-rules.ts'
import { strictBase64 } from './characters.ts'
import { isWithin, type MarkupScan, type MarkupSize } from './markup.ts'

/** Characters of a form's `SAMLResponse` before it is decoded. A person in 1,000 groups has an answer of a third of it. */
export const maxAnswerCharacters = 256 * 1_024

const maxSize: MarkupSize = { elements: 5_000, depth: 64, attributesOfOne: 64, names: 128, prefixes: 32 }

/** Rules about the text of the form, in this order: no text is decoded that is too large. */
export const messageRules = rulesNamed({
  too_large: (encoded: string) => encoded.length <= maxAnswerCharacters,
  not_base64: (encoded: string) => strictBase64(encoded) !== undefined,
  not_utf8: (encoded: string) => isUtf8(Buffer.from(encoded, 'base64')),
})

/** Decodes a message, without a byte order mark. */
export const decodedMessage = (encoded: string) =>
  Buffer.from(encoded, 'base64')
    .toString('utf8')
    .replace(/^\uFEFF/, '')

/** Rules about markup that no identity provider needs, and every attack on readers of XML does. */
export const markupRules = rulesNamed({
  dtd: ({ hasDeclaration }: MarkupScan) => !hasDeclaration,
  comment: ({ hasComment }: MarkupScan) => !hasComment,
  cdata: ({ hasCharacterData }: MarkupScan) => !hasCharacterData,
  processing_instruction: ({ hasInstruction }: MarkupScan) => !hasInstruction,
  entity_reference: ({ hasUnknownReference }: MarkupScan) => !hasUnknownReference,
  too_complex: ({ size }: MarkupScan) => isWithin(size, maxSize),
  not_well_formed: ({ isWellFormed }: MarkupScan) => isWellFormed,
})
