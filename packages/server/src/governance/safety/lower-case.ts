/**
 * Lower-cases a text without moving any index: some letters are longer in lower case, and then only ASCII letters are changed.
 */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
