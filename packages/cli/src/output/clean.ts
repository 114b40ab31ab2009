/**
 * Characters that do something to a terminal or mislead the eye: controls (C0, C1, delete), line separators, and marks that are invisible or turn
 * the direction of text. Names come from other people.
 */
const unsafe = /[\p{Cc}\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u061c]/gu
const unsafeButNewlines = /(?!\n)[\p{Cc}\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u061c]/gu

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Returns text on one line that only shows characters, whoever wrote it. */
export const cleanLine = (text: string): string => text.replace(unsafe, escapeCharacter)

/** Returns text that may have several lines and else only shows characters. */
export const cleanText = (text: string): string => text.replace(unsafeButNewlines, escapeCharacter)

/** Returns JSON in which such characters are escaped, which means the same. */
export const cleanJson = (value: unknown): string => cleanText(JSON.stringify(value, null, 2) ?? 'null')
