import fastify from 'fastify'
import { consolePages } from '../../src/console/pages.ts'
import type { ConsoleVisitor, ShownPage } from './console.ts'
import type { ServerUnderTest } from './harness.ts'
import type { ShownForm } from './shown-page.ts'

/** A route of the console: a page or file to open, or an action that takes a form. */
export interface ConsoleRoute {
  readonly method: 'GET' | 'POST'
  readonly template: string
}

/** Returns every route of the console, as its rooms add them. */
export async function consoleRoutes({ platform }: ServerUnderTest): Promise<ConsoleRoute[]> {
  const routes: ConsoleRoute[] = []
  const app = fastify()
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of ['GET', 'POST'] as const)
      if ([method].flat().includes(one)) routes.push({ method: one, template: url })
  })
  await consolePages(app, platform, {} as never)
  return routes
}

/** Returns the template that a path is of; one with fewer parameters wins. */
export function templateOf(routes: readonly ConsoleRoute[], method: string, address: string): string | undefined {
  const { pathname } = new URL(address, 'http://weir.invalid')
  const fits = ({ template }: ConsoleRoute) => new RegExp(`^${template.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname)
  const parameters = (template: string) => template.split(':').length
  return routes
    .filter((route) => route.method === method && fits(route))
    .sort((a, b) => parameters(a.template) - parameters(b.template))[0]?.template
}

/** An action as some page offers it. */
export interface OfferedAction {
  readonly template: string
  readonly page: string
  readonly form: ShownForm
}

/** All that somebody comes to by following links: one page of each template, and the actions that they offer. */
export interface Crawl {
  readonly pages: ReadonlyMap<string, { readonly address: string; readonly shown: ShownPage }>
  readonly actions: ReadonlyMap<string, OfferedAction>
  /** Links that lead nowhere. */
  readonly broken: readonly string[]
}

const isPageOfConsole = (href: string) => /^\/console(?:[/?]|$)/.test(href)

/** Returns a form as each of its buttons sends it. */
const asSent = (form: ShownForm): ShownForm[] => [form, ...form.otherActions.map((action) => ({ ...form, action }))]

/**
 * Follows every link of the console, opening each template once; `also` are addresses to begin with beside the overview. With `only`,
 * it keeps to the templates that match.
 */
export async function crawl(
  visitor: ConsoleVisitor,
  routes: readonly ConsoleRoute[],
  also: readonly string[] = [],
  only = /^/,
): Promise<Crawl> {
  const pages = new Map<string, { address: string; shown: ShownPage }>()
  const actions = new Map<string, OfferedAction>()
  const broken: string[] = []
  const seen = new Set<string>()
  const waiting = ['/console', ...also]
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const template = templateOf(routes, 'GET', address)
    // Two of each, because the first of a list may be in a state that offers less.
    const key = `${template} ${pages.has(template ?? '') ? 2 : 1}`
    if (
      template === undefined ||
      !only.test(template) ||
      /\.(css|js)$/.test(template) ||
      seen.has(address) ||
      seen.has(key)
    )
      continue
    seen.add(address).add(key)
    const shown = await visitor.openConsole(address)
    if (shown.status === 404) broken.push(address)
    if (!pages.has(template)) pages.set(template, { address, shown })
    for (const form of shown.forms.flatMap(asSent)) {
      const action = templateOf(routes, 'POST', form.action || address)
      if (form.method !== 'post') continue
      if (action === undefined) broken.push(`POST ${form.action} on ${template}`)
      else if (!actions.has(action)) actions.set(action, { template: action, page: address, form })
    }
    const navigation = [...shown.html.matchAll(/<a class="item" href="([^"]*)"/g)].map(([, href = '']) => href)
    const links = [...shown.links.map(({ href }) => href), ...navigation].filter(isPageOfConsole)
    for (const href of links) {
      const [path = ''] = href.split('#')
      if (templateOf(routes, 'GET', path) === undefined && !/^\/console\/(profile|signin|signout)/.test(path))
        broken.push(path.replace(/[?].*/, ''))
      waiting.push(path)
    }
  }
  return { pages, actions, broken: [...new Set(broken)] }
}

/** A call of a page to the API. */
export interface RecordedCall {
  readonly method: string
  readonly url: string
  readonly body: string | undefined
  readonly status: number
}

/** Records which calls of the API a server's pages make. `during` returns those of some work. */
export function recordCalls(server: ServerUnderTest) {
  const calls: RecordedCall[] = []
  const pending = new Set<Promise<{ statusCode: number }>>()
  const inject = server.app.inject.bind(server.app) as (options: object) => Promise<{ statusCode: number }>
  server.app.inject = (async (options: { method: string; url: string; payload?: string }) => {
    const coming = inject(options)
    pending.add(coming)
    const answer = await coming.finally(() => pending.delete(coming))
    calls.push({ method: options.method, url: options.url, body: options.payload, status: answer.statusCode })
    return answer
  }) as never
  return {
    during: async <T>(work: () => Promise<T>): Promise<{ result: T; calls: RecordedCall[] }> => {
      calls.length = 0
      const result = await work()
      // Also those that a page has not waited for.
      while (pending.size > 0) await Promise.allSettled(pending)
      return { result, calls: [...calls] }
    },
  }
}
