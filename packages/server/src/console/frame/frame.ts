import { readFileSync } from 'node:fs'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { makerText } from '../../access/identity/identity.ts'
import { contentPolicy } from '../../contract/content-policy.ts'
import { ApiError } from '../../contract/errors.ts'
import { asOnePage } from '../../contract/page-reads.ts'
import type { App } from '../../contract/routes.ts'
import {
  answerWithPages,
  createInside,
  fileFormParser,
  formParser,
  type LiveSession,
  maxConsoleFormBytes,
  maxFileFormBytes,
  returnPath,
  type SignInHooks,
  shows,
} from '../../people/sign-in/sign-in.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { formatId, operatorsOrgId } from '../../values/id.ts'
import { recordIn } from '../../values/records.ts'
import { ApiFault, createApi, createSharedReads } from '../api/api.ts'
import { createTimes } from '../components/components.ts'
import { serveScripts } from '../islands/islands.ts'
import { faultPage, missingPage } from './fault-pages.ts'
import { type ConsolePage, pageFrame, type Theme, themes } from './page-frame.ts'
import { createSurroundings } from './surroundings.ts'
import { type BriefVisit, type FormValues, mayOf, newFormKeys, type Visit, valuesOf } from './visit.ts'

export { shown } from './fault-pages.ts'
export { addressWith, type Filter, filterForm, filtersOf, keyLink, messageIn, pager, pageSize } from './list-page.ts'
export { pagesNamed } from './navigation.ts'
export type { ConsolePage } from './page-frame.ts'
export { formPage, formStatus, questionPage, secretPage } from './plain-pages.ts'
export { amountIn, countIn, countsIn } from './typed-values.ts'
export { type BriefVisit, type FormValues, type Part, part, refusedForm, type Visit } from './visit.ts'

const stylesheet = readFileSync(new URL('./console.css', import.meta.url), 'utf8')
const policy = contentPolicy(
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
)

/** Does what a form asks for. */
type Act = (visit: Visit, values: FormValues) => Promise<string | ConsolePage>

/** Ways to add pages to the console. */
export interface ConsoleRoutes {
  /** Adds a page; it may lead to another one. */
  readonly page: (path: string, show: (visit: Visit) => Promise<string | ConsolePage>) => void
  /** Adds an action: it takes a form, and leads to another page or shows the form again. */
  readonly action: (path: string, act: Act) => void
  /** Adds an action whose form may have a file in it. */
  readonly fileAction: (path: string, act: Act) => void
  /** Adds a file to download. */
  readonly download: (path: string, make: (visit: Visit) => Promise<Download>) => void
  /** Adds something that a script of a page reads again and again; it knows nothing of what is around the page. */
  readonly feed: (path: string, make: (visit: BriefVisit) => Promise<Download>) => void
}

/** A file as a page hands it out. */
export interface Download {
  readonly text: string
  readonly type: string
  /** Name under which it is kept; undefined for what a script of the page reads. */
  readonly name?: string
}

const themeCookie = 'weir-theme'
const yearSeconds = 31_536_000

/** Serves pages behind the sign-in, each in the frame with the navigation. Everything that they show and do goes through the API. */
export async function serveConsole(
  root: App,
  platform: Platform,
  hooks: SignInHooks,
  addPages: (routes: ConsoleRoutes) => void,
) {
  await root.register(async (app: App) => {
    app.removeAllContentTypeParsers()
    // A form without a file is no longer than others where a file may come too.
    formParser(app, maxConsoleFormBytes)
    fileFormParser(app)
    answerWithPages(app, platform)
    app.get('/console/console.css', (_request, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'no-cache').send(stylesheet),
    )
    serveScripts(app)
    const routes = createRoutes(root, app, platform, hooks)
    routes.action('/console/appearance', async ({ reply }, { theme = '', return_to }) => {
      reply.header('set-cookie', themeSetting(themeNamed(theme), platform.config.publicUrl))
      return returnPath(return_to) ?? '/console'
    })
    addPages(routes)
    routes.page('/console/*', async () => missingPage)
  })
}

/** Characters that turn the direction of what follows: a name with one of them would show the amount after it backwards. */
const withoutTurns = (text: string) => text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd')

const themeNamed = (name: string): Theme => themes.find((theme) => theme === name) ?? 'auto'
const themeSetting = (theme: Theme, publicUrl: string | undefined) =>
  stringifySetCookie({
    name: themeCookie,
    value: theme,
    path: '/console',
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl?.startsWith('https:') ?? false,
    maxAge: yearSeconds,
  })

function createRoutes(root: App, app: App, platform: Platform, hooks: SignInHooks): ConsoleRoutes {
  const { inside, ofOwnForm } = createInside(hooks)
  const surroundings = createSurroundings()
  const sharedReads = createSharedReads(() => platform.clock.now().getTime())
  const takesForms = { bodyLimit: maxConsoleFormBytes, config: { urgency: 'change' } } as const
  const takesFiles = {
    ...takesForms,
    bodyLimit: maxFileFormBytes,
    // Nobody sends a file who is not signed in.
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      if (!(await inside(request, reply))) return reply
      return undefined
    },
  }

  function briefVisitOf(request: FastifyRequest, { caller, csrfToken }: LiveSession, formKey?: string): BriefVisit {
    const orgId = formatId('org', caller.orgId)
    const api = createApi(root, request, { orgId, csrfToken, formKey, share: sharedReads.of(request, caller) })
    return { api, caller, now: platform.clock.now(), may: mayOf(caller) }
  }

  async function visitOf(
    request: FastifyRequest,
    reply: FastifyReply,
    session: LiveSession,
    formKey?: string,
  ): Promise<Visit> {
    const brief = briefVisitOf(request, session, formKey)
    const { caller, api, now } = brief
    const around = await surroundings.read(caller, api, now.getTime())
    const address = request.url
    return {
      ...brief,
      ...around,
      session,
      times: createTimes(around.org.timezone, now),
      params: recordIn(request.params) as Record<string, string>,
      query: new URL(address, 'http://weir.invalid').searchParams,
      address,
      formKeys: newFormKeys(session.csrfToken),
      request,
      reply,
    }
  }

  async function send(visit: Visit, page: ConsolePage) {
    const { reply, caller, org, session, counts } = visit
    const markup = await pageFrame(page, {
      name: caller.person?.email ?? `${makerText(caller).slice(0, 14)}…`,
      role: caller.kind === 'support' ? 'support' : caller.role,
      isOperator: caller.orgId === operatorsOrgId,
      may: visit.may,
      orgName: org.name,
      csrfToken: session.csrfToken,
      theme: themeNamed(parseCookie(visit.request.headers.cookie ?? '')[themeCookie] ?? ''),
      counts,
      support:
        caller.kind === 'support'
          ? {
              scope: caller.grantScope ?? 'read',
              orgName: org.name,
              until: visit.times.long(new Date(caller.expiresAtMs)),
            }
          : undefined,
      address: visit.address,
    })
    return reply
      .code(page.status ?? 200)
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .header('cross-origin-opener-policy', 'same-origin')
      .header('referrer-policy', 'same-origin')
      .send(withoutTurns(markup.toString()))
  }

  function sendFile({ reply }: Visit, { text, type, name }: Download) {
    if (name !== undefined) reply.header('content-disposition', `attachment; filename="${name}"`)
    return reply.type(type).send(text)
  }

  /** Answers with what `make` returns; a refusal of the API becomes a page that says it. */
  async function answer(visit: Visit, make: () => Promise<string | ConsolePage | Download>) {
    try {
      const made = await make()
      if (typeof made === 'string') return await visit.reply.redirect(made, 303)
      return await ('body' in made ? send(visit, made) : sendFile(visit, made))
    } catch (error) {
      if (!(error instanceof ApiFault)) throw error
      if (error.status === 401) throw new ApiError('session_revoked')
      return send(visit, faultPage(visit, error))
    }
  }

  const acting = (act: Act) => async (request: FastifyRequest, reply: FastifyReply) => {
    const session = ofOwnForm(request, await inside(request, reply))
    if (!session) return reply
    const values = valuesOf(request.body)
    const visit = await visitOf(request, reply, session, values['idempotency_key'] ?? '')
    // The page that follows shows what the action has changed.
    return answer(visit, () => act(visit, values).finally(() => surroundings.forget(session.caller)))
  }

  return {
    page: (path, show) =>
      app.get(path, shows, async (request, reply) => {
        const session = await inside(request, reply)
        if (!session) return reply
        return asOnePage(async () => {
          const visit = await visitOf(request, reply, session)
          return answer(visit, () => show(visit))
        })
      }),
    action: (path, act) => app.post(path, takesForms, acting(act)),
    fileAction: (path, act) => app.post(path, takesFiles, acting(act)),
    download: (path, make) =>
      app.get(path, shows, async (request, reply) => {
        const session = await inside(request, reply)
        if (!session) return reply
        const visit = await visitOf(request, reply, session)
        return answer(visit, () => make(visit))
      }),
    feed: (path, make) =>
      app.get(path, shows, async (request, reply) => {
        const session = await inside(request, reply)
        if (!session) return reply
        try {
          const { text, type } = await make(briefVisitOf(request, session))
          return await reply.type(type).send(text)
        } catch (error) {
          if (!(error instanceof ApiFault)) throw error
          if (error.status === 401) throw new ApiError('session_revoked')
          return reply.code(error.status).type('text/plain; charset=utf-8').send(error.message)
        }
      }),
  }
}
