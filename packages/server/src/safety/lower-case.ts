/** In some languages a letter is longer in lower case; then only ASCII is changed, so that every index stays. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
