import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import scalar from '@scalar/fastify-api-reference'
import { asSvg, contentPolicy } from '../../contract/content-policy.ts'
import type { App } from '../../contract/routes.ts'
import { guides, pathOf, readPictures, renderGuide } from './pages.ts'
import { searchIndex } from './search.ts'
import { bar, headLinks } from './shell.ts'

const guidePolicy = contentPolicy("script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'")
/**
 * Content security policy of the API reference: a bundle that writes its own styles into the page, and a script that starts it.
 */
const referencePolicy = (page: string) =>
  contentPolicy(
    ["script-src 'self'", ...inlineScripts(page).map((script) => `'sha256-${hash('sha256', script, 'base64')}'`)].join(
      ' ',
    ),
    "style-src 'self' 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    'font-src data:',
  )

const inlineScripts = (page: string) =>
  Array.from(page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g), ([, script = '']) => script)

/** Serves the guides and the API reference from local files: a browser loads nothing from elsewhere. */
export async function docs(root: App) {
  await root.register(async (app: App) => {
    // Pages are the same for everybody, and change only with the program.
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'no-cache')
      done()
    })
    guideRoutes(app)
    assetRoutes(app)
    await referenceRoutes(app)
  })
}

function guideRoutes(app: App) {
  for (const guide of guides) {
    const page = lazy(() => renderGuide(guide))
    app.get(pathOf(guide), (_request, reply) =>
      reply.type('text/html; charset=utf-8').header('content-security-policy', guidePolicy).send(page()),
    )
  }
  app.get('/', (_request, reply) => reply.redirect('/docs', 302))
  app.get('/docs/', (_request, reply) => reply.redirect('/docs', 301))
  for (const [name, picture] of readPictures())
    app.get(`/docs/images/${name}`, (_request, reply) =>
      (name.endsWith('.svg') ? asSvg(reply) : reply.type('image/png')).send(picture),
    )
}

function assetRoutes(app: App) {
  const asset = (path: string, type: string, read: () => string) => {
    const text = lazy(read)
    app.get(path, (_request, reply) => reply.type(type).send(text()))
  }
  const file = (name: string) => () => readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8')
  const [css, javascript] = ['text/css; charset=utf-8', 'text/javascript; charset=utf-8']
  asset('/docs/icon.svg', 'image/svg+xml', file('icon.svg'))
  asset('/docs/style.css', css, file('style.css'))
  asset('/docs/reference.css', css, file('reference.css'))
  asset('/docs/site.js', javascript, file('site.js'))
  asset('/docs/minisearch.js', javascript, () => readFileSync(new URL(import.meta.resolve('minisearch')), 'utf8'))
  asset('/docs/search.json', 'application/json; charset=utf-8', () => searchIndex(app.swagger()))
}

/** Creates a value on first use and caches it. */
function lazy<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** Orders tags: agents' operations first, operators' last. Browsers get the function as text, so it must be self-contained. */
function compareTags(a: { name: string }, b: { name: string }): number {
  const first = [
    'runs',
    'decisions',
    'limits',
    'usage',
    'forecasts',
    'policies',
    'routing',
    'keys',
    'webhooks',
    'events',
  ]
  const last = ['support', 'operators', 'meta']
  const rank = (name: string) => (last.includes(name) ? 100 + last.indexOf(name) : first.indexOf(name) + 1 || 50)
  return rank(a.name) - rank(b.name)
}

async function referenceRoutes(app: App) {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const isPage = typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html')
    // A guide sets its own.
    if (!isPage || reply.hasHeader('content-security-policy')) return done(null, payload)
    const page = payload
      .replace('<html>', '<html lang="en">')
      .replace('</head>', `${headLinks}\n<link rel="stylesheet" href="/docs/reference.css">\n</head>`)
      .replace('<body>', `<body>\n${bar('reference')}`)
    reply.header('content-security-policy', referencePolicy(page))
    done(null, page)
  })

  await app.register(scalar, {
    routePrefix: '/docs/reference',
    configuration: {
      url: '/v1/openapi.json',
      pageTitle: 'API reference · Weir',
      theme: 'none',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      favicon: '/docs/icon.svg',
      defaultOpenAllTags: true,
      hideClientButton: true,
      hideDarkModeToggle: true,
      // The search in the bar finds operations, too.
      hideSearch: true,
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
      orderSchemaPropertiesBy: 'preserve',
      tagsSorter: compareTags,
    },
  })
}
