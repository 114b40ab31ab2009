import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto'

/** Codes that a person is given at once, each of which signs in once, when no passkey is at hand. */
export const recoveryCodeCount = 10
const secretBytes = 10
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const shape = /^[0-9a-hjkmnp-tv-z]{16}$/
const lookalikes: Readonly<Record<string, string>> = { o: '0', i: '1', l: '1' }

/** Cost of a guess. Codes have 80 random bits; whoever has a dump pays this for each try at all of them together. */
const cost: ScryptOptions = { N: 16_384, r: 8, p: 1 }
const digestBytes = 32
/** The salt is the same for all, so that a code finds its row: nobody says who they are before. */
const salt = 'weir recovery codes'

/** Returns a new code, in groups of four letters. */
export function mintRecoveryCode(): string {
  const value = BigInt(`0x${randomBytes(secretBytes).toString('hex')}`)
  const letters = Array.from({ length: 16 }, (_, place) => alphabet[Number((value >> BigInt(5 * place)) & 31n)])
  return letters.join('').replace(/(.{4})(?!$)/g, '$1-')
}

/** Returns a code as it was minted, whatever its case, its spaces and its mistaken letters; undefined for what is none. */
export function normalRecoveryCode(text: string): string | undefined {
  const letters = text
    .slice(0, 100)
    .toLowerCase()
    .replace(/[\s-]/g, '')
    .replace(/[oil]/g, (letter) => lookalikes[letter] ?? letter)
  return shape.test(letters) ? letters : undefined
}

/** Returns what is stored of a code in its normal form. */
export const recoveryDigest = (normalCode: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(normalCode, salt, digestBytes, cost, (error, digest) => (error ? reject(error) : resolve(digest)))
  })
