import { readFileSync } from 'node:fs'
import scalar from '@scalar/fastify-api-reference'
import { asPicture, contentPolicy } from '../contract/content-policy.ts'
import type { App } from '../contract/routes.ts'
import { guides, readPictures, renderGuide } from './pages.ts'

const asset = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const style = asset('./style.css')
const icon = asset('./icon.svg')

const guidePolicy = contentPolicy("style-src 'self'", "img-src 'self'")
// The reference is one bundle that writes its own style and configuration into the page.
const referencePolicy = contentPolicy(
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  'font-src data:',
)

/** The guides and the API reference, from local files: a browser here asks nobody else for anything. */
export async function docs(app: App) {
  for (const guide of guides) {
    let page: string | undefined
    app.get(guide.slug === '' ? '/docs' : `/docs/${guide.slug}`, (_request, reply) => {
      page ??= renderGuide(guide)
      return reply.type('text/html; charset=utf-8').header('content-security-policy', guidePolicy).send(page)
    })
  }
  for (const [name, picture] of readPictures()) {
    app.get(`/docs/images/${name}`, (_request, reply) => asPicture(reply).send(picture))
  }
  app.get('/docs/', (_request, reply) => reply.redirect('/docs', 301))
  app.get('/docs/icon.svg', (_request, reply) => reply.type('image/svg+xml').send(icon))
  app.get('/docs/style.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(style))

  await app.register(scalar, {
    routePrefix: '/docs/reference',
    hooks: {
      onRequest: (_request, reply, done) => {
        reply.header('content-security-policy', referencePolicy)
        done()
      },
    },
    configuration: {
      url: '/v1/openapi.json',
      pageTitle: 'API reference · Weir',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      favicon: '/docs/icon.svg',
      defaultOpenAllTags: true,
      hideClientButton: true,
      mcp: { disabled: true },
      showDeveloperTools: 'never',
    },
  })
}
