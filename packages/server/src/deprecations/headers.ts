import type { DeprecatedDelivery, DeprecatedRoute, Deprecation } from './registry.ts'

const epochSeconds = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000

/** IMF-fixdate: the one form of an HTTP date that every reader knows. */
export const httpDate = (timestamp: string) => new Date(timestamp).toUTCString()

export interface DeprecationHeaders {
  readonly deprecation: string
  readonly sunset: string
  readonly link: string
}

/** The three headers of RFC 9745 and RFC 8594; `docsUrl` stands in the link exactly as configured. */
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
