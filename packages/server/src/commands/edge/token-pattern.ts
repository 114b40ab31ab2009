/**
 * Patterns by which a proxy reads from the text of a token which cell has minted it, in the syntax that PCRE and RE2 share. Whatever
 * they take for a token and is none, any cell refuses.
 */
const tail = '[0-7][0-9a-hjkmnp-tv-z]{25}_[0-9A-Za-z]{49}'
const anyCell = '[a-z0-9]{1,8}'

/** Name of the cookie of a session under HTTPS, the only one that a proxy passes on with effect. */
export const sessionCookie = '__Host-weir'

/** Pattern of `Authorization` with a key or the token of a directory; its first group is the cell. */
export const bearerPattern = (cell: string = anyCell) => `(?i:bearer) +weir(?:scim)?_(${cell})${tail} *`

/** Pattern of the token of a session; its first group is the cell. */
export const sessionPattern = (cell: string = anyCell) => `weirsession_(${cell})${tail}`
