const base = 'http://weir.invalid'
const maxLength = 1_000

/** Returns the page of the console to go to after signing in; undefined for anything that is not a path of the console. */
export function returnPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > maxLength || !text.startsWith('/console') || !URL.canParse(text, base))
    return undefined
  const { origin, pathname, search } = new URL(text, base)
  const isOfConsole = origin === base && (pathname === '/console' || pathname.startsWith('/console/'))
  const path = pathname + search
  return isOfConsole && !pathname.startsWith('/console/signin') && path.length <= maxLength ? path : undefined
}
