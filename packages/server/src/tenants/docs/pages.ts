import { readdirSync, readFileSync } from 'node:fs'
import { type Heading, renderMarkdown } from './markdown.ts'
import { escapeHtml, shell } from './shell.ts'

const folder = new URL('../../../../../docs/', import.meta.url)

export interface Guide {
  readonly slug: string
  readonly file: string
  readonly title: string
}

const guide = (slug: string, title: string): Guide => ({ slug, file: `${slug || 'index'}.md`, title })

/** Guides in reading order, by group of the menu; a page that is not listed here is not served. */
const groups: readonly { readonly name: string; readonly guides: readonly Guide[] }[] = [
  {
    name: 'Start',
    guides: [
      guide('', 'Overview'),
      guide('quickstart', 'Quickstart'),
      guide('proof', 'Proof'),
      guide('team-budgets', 'Teams, customers and alerts'),
      guide('console', 'The console'),
      guide('cli', 'The command line'),
      guide('configuration-as-code', 'Configuration as code'),
      guide('glossary', 'Glossary'),
    ],
  },
  { name: 'Limit', guides: [guide('limits', 'Limits'), guide('decisions', 'Decisions')] },
  {
    name: 'Record',
    guides: [
      guide('sdk-typescript', 'The SDK for TypeScript'),
      guide('gateway', 'The gateway'),
      guide('gateway-clients', 'Clients of the gateway'),
      guide('proxies', 'Proxies that you have'),
      guide('sdk-python', 'Python'),
      guide('litellm-hook', 'LiteLLM'),
      guide('moving-from-litellm', 'Moving from LiteLLM'),
      guide('runs', 'Runs'),
      guide('opentelemetry', 'OpenTelemetry'),
      guide('coding-assistants', 'Coding assistants'),
      guide('retention', 'Reading and keeping runs'),
    ],
  },
  {
    name: 'Watch',
    guides: [
      guide('usage', 'Usage'),
      guide('finance', 'Showback and bills'),
      guide('forecasts', 'Forecasts'),
      guide('benchmarks', 'Benchmarks'),
    ],
  },
  {
    name: 'Decide',
    guides: [
      guide('policies', 'Policies'),
      guide('policy-expressions', 'Expressions of rules'),
      guide('backtests', 'Back-tests'),
      guide('approvals', 'Approvals'),
      guide('content-safety', 'Content safety'),
      guide('routing', 'Routing'),
    ],
  },
  {
    name: 'Connect',
    guides: [
      guide('access', 'Keys and access'),
      guide('people', 'People'),
      guide('sso-oidc', 'Single sign-on: OpenID'),
      guide('sso-saml', 'Single sign-on: SAML'),
      guide('scim', 'Provisioning by SCIM'),
      guide('passkeys', 'Passkeys'),
      guide('mcp', 'Agents ask Weir: MCP'),
      guide('webhooks', 'Webhooks'),
      guide('alerts', 'Alerts in Slack, Teams, PagerDuty and by mail'),
      guide('events', 'Events'),
    ],
  },
  {
    name: 'API',
    guides: [
      guide('conventions', 'API conventions'),
      guide('price-sources', 'Where prices come from'),
      guide('errors', 'Errors'),
      guide('conformance', 'Conformance'),
      guide('versioning', 'Versioning'),
      guide('deprecations', 'Deprecations'),
    ],
  },
  {
    name: 'Operate',
    guides: [
      guide('install', 'Installing Weir'),
      guide('databases', 'PostgreSQL and Redis'),
      guide('operating', 'Operating Weir'),
      guide('kubernetes', 'Kubernetes'),
      guide('systemd', 'A plain machine'),
      guide('regions', 'Regions and cells'),
      guide('scaling', 'Scaling'),
      guide('supply-chain', 'The supply chain'),
      guide('runbooks', 'Runbooks'),
      guide('disasters', 'Disasters'),
      guide('slo', 'Objectives'),
      guide('threat-model', 'Threats'),
      guide('hardening', 'Hardening'),
      guide('price-imports', 'Importing prices'),
      guide('configuration', 'Configuration'),
    ],
  },
]

export const guides: readonly Guide[] = groups.flatMap((group) => group.guides)

export const pathOf = ({ slug }: Guide) => (slug === '' ? '/docs' : `/docs/${slug}`)

export const readGuide = ({ file }: Guide) => readFileSync(new URL(file, folder), 'utf8')

/** Reads every picture of the guides, by file name. */
export const readPictures = (): Map<string, Buffer> => {
  const images = new URL('images/', folder)
  const names = readdirSync(images).filter((name) => /\.(svg|png)$/.test(name))
  return new Map(names.map((name) => [name, readFileSync(new URL(name, images))]))
}

export function renderGuide(current: Guide): string {
  const { html, headings } = renderMarkdown(readGuide(current))
  const contents = contentsOf(headings)
  // For screens without room for it beside the page.
  const folded = contents && `<details class="contents"><summary>On this page</summary>${contents}</details>\n`
  return shell({
    title: current.title,
    section: 'guides',
    body: `<nav id="menu" popover aria-label="Guides">
${groups.map((group) => menuGroup(group.name, group.guides, current)).join('\n')}
</nav>
<main id="content">
<article>${html.replace('</h1>\n', (end) => end + folded)}</article>
${neighbours(current)}
</main>
<aside class="contents">${contents && `<nav aria-label="On this page"><h2>On this page</h2>${contents}</nav>`}</aside>`,
  })
}

const menuGroup = (name: string, members: readonly Guide[], current: Guide) => {
  const links = members.map(
    (member) =>
      `<li><a href="${pathOf(member)}"${member === current ? ' aria-current="page"' : ''}>${escapeHtml(member.title)}</a></li>`,
  )
  return `<h2>${name}</h2><ul>${links.join('')}</ul>`
}

const maxContents = 30

/** Renders the headings of a page as links, without the smaller ones when there are too many. */
function contentsOf(headings: readonly Heading[]): string {
  const sections = headings.filter(({ depth }) => depth === 2 || depth === 3)
  const shown = sections.length > maxContents ? sections.filter(({ depth }) => depth === 2) : sections
  if (shown.length < 2) return ''
  const links = shown.map(
    ({ depth, anchor, html }) => `<li class="depth-${depth}"><a href="#${anchor}">${html}</a></li>`,
  )
  return `<ul>${links.join('')}</ul>`
}

/** Renders the links to the previous and the next guide. */
function neighbours(current: Guide): string {
  const place = guides.indexOf(current)
  const link = (other: Guide | undefined, rel: string, label: string) =>
    other
      ? `<a rel="${rel}" href="${pathOf(other)}"><span>${label}</span> ${escapeHtml(other.title)}</a>`
      : '<span></span>'
  return `<nav class="neighbours" aria-label="Previous and next">${link(guides[place - 1], 'prev', 'Previous')}${link(guides[place + 1], 'next', 'Next')}</nav>`
}
