import type { DeprecatedDelivery, DeprecatedRoute, Deprecation } from './registry.ts'

const epochSeconds = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000

/** Formats an IMF-fixdate, the HTTP date format that every reader knows. */
export const httpDate = (timestamp: string) => new Date(timestamp).toUTCString()

export interface DeprecationHeaders {
  readonly deprecation: string
  readonly sunset: string
  readonly link: string
}

/** Returns the headers of RFC 9745 and RFC 8594; the link contains `docsUrl` exactly as configured. */
export function deprecationHeaders(entry: DeprecatedRoute | DeprecatedDelivery, docsUrl: string): DeprecationHeaders {
  const links = [`<${docsUrl}>; rel="deprecation"`]
  if (entry.kind === 'route' && entry.replacement) links.push(`<${entry.replacement}>; rel="successor-version"`)
  return {
    deprecation: `@${epochSeconds(entry.since)}`,
    sunset: httpDate(entry.sunset),
    link: links.join(', '),
  }
}

export const documentationOf = (entry: Deprecation, docsUrl: string) => `${docsUrl}/deprecations#${entry.id}`
