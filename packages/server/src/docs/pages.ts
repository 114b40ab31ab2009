import { readdirSync, readFileSync } from 'node:fs'
import { Marked, type Tokens } from 'marked'

const folder = new URL('../../../../docs/', import.meta.url)

/** The guides in reading order; a page that is not listed here is not served. */
export const guides = [
  { slug: '', file: 'index.md', title: 'Overview' },
  { slug: 'quickstart', file: 'quickstart.md', title: 'Quickstart' },
  { slug: 'decisions', file: 'decisions.md', title: 'Decisions' },
  { slug: 'limits', file: 'limits.md', title: 'Limits' },
  { slug: 'runs', file: 'runs.md', title: 'Runs' },
  { slug: 'opentelemetry', file: 'opentelemetry.md', title: 'OpenTelemetry' },
  { slug: 'usage', file: 'usage.md', title: 'Usage' },
  { slug: 'forecasts', file: 'forecasts.md', title: 'Forecasts' },
  { slug: 'retention', file: 'retention.md', title: 'Reading and keeping runs' },
  { slug: 'benchmarks', file: 'benchmarks.md', title: 'Benchmarks' },
  { slug: 'policies', file: 'policies.md', title: 'Policies' },
  { slug: 'policy-expressions', file: 'policy-expressions.md', title: 'Expressions of rules' },
  { slug: 'approvals', file: 'approvals.md', title: 'Approvals' },
  { slug: 'backtests', file: 'backtests.md', title: 'Back-tests' },
  { slug: 'content-safety', file: 'content-safety.md', title: 'Content safety' },
  { slug: 'routing', file: 'routing.md', title: 'Routing' },
  { slug: 'events', file: 'events.md', title: 'Events' },
  { slug: 'webhooks', file: 'webhooks.md', title: 'Webhooks' },
  { slug: 'conventions', file: 'conventions.md', title: 'API conventions' },
  { slug: 'access', file: 'access.md', title: 'Keys and access' },
  { slug: 'errors', file: 'errors.md', title: 'Errors' },
  { slug: 'versioning', file: 'versioning.md', title: 'Versioning' },
  { slug: 'deprecations', file: 'deprecations.md', title: 'Deprecations' },
  { slug: 'operating', file: 'operating.md', title: 'Operating Weir' },
  { slug: 'configuration', file: 'configuration.md', title: 'Configuration' },
] as const

export type Guide = (typeof guides)[number]

const pathOf = (slug: string) => (slug === '' ? '/docs' : `/docs/${slug}`)

const anchorOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/<[^>]+>|&[a-z]+;|[`"']/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** Links between guides name files, so that they also work where the sources are read. */
const servedLink = (href: string) =>
  href.replace(
    /^([a-z-]+)\.md(#.*)?$/,
    (_whole, name: string, anchor = '') => pathOf(name === 'index' ? '' : name) + String(anchor),
  )

/** Every picture of the guides by the name of its file. */
export const readPictures = (): Map<string, string> => {
  const images = new URL('images/', folder)
  const names = readdirSync(images).filter((name) => name.endsWith('.svg'))
  return new Map(names.map((name) => [name, readFileSync(new URL(name, images), 'utf8')]))
}

const marked = new Marked({
  walkTokens: (token) => {
    // Pictures, too, are named by their files.
    if (token.type === 'image') token['href'] = (token as Tokens.Image).href.replace(/^images\//, '/docs/images/')
  },
  renderer: {
    heading({ tokens, depth }: Tokens.Heading) {
      const text = this.parser.parseInline(tokens)
      const anchor = anchorOf(text)
      return `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}">${text}</a></h${depth}>\n`
    },
    link({ href, tokens }: Tokens.Link) {
      return `<a href="${servedLink(href)}">${this.parser.parseInline(tokens)}</a>`
    },
    table(token: Tokens.Table) {
      // A wide table scrolls inside itself instead of widening the page.
      const row = (cells: Tokens.TableCell[], tag: string) =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
      return `<div class="table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${token.rows.map((cells) => row(cells, 'td')).join('')}</tbody></table></div>\n`
    },
  },
})

export function renderGuide(guide: Guide): string {
  const body = marked.parse(readFileSync(new URL(guide.file, folder), 'utf8'), { async: false })
  const navigation = [...guides, { slug: 'reference/', title: 'API reference' }]
    .map(
      ({ slug, title }) => `<a href="${pathOf(slug)}"${slug === guide.slug ? ' aria-current="page"' : ''}>${title}</a>`,
    )
    .join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${guide.title} · Weir</title>
<link rel="icon" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="brand" href="/docs">Weir</a><nav aria-label="Guides">${navigation}</nav></header>
<main id="content">${body}</main>
</body>
</html>
`
}
