import { actingAs } from '../access/changes/changes.ts'
import type { Caller } from '../access/identity/identity.ts'
import { ApiError } from '../contract/errors.ts'
import type { App } from '../contract/routes.ts'
import { sendPage } from '../people/pages/pages.ts'
import {
  answerWithPages,
  createInside,
  formParser,
  type SignInHooks,
  shows,
  takesForm,
} from '../people/sign-in/sign-in.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { recordIn } from '../values/records.ts'
import { linkStatePage, offerPage } from './link-pages.ts'
import { findLinkOfMember } from './link-queries.ts'
import { linkPath, linkUser, seeOffer, unlinkUser } from './links.ts'

const maxCodeLength = 100

/** Serves the page on which members link themselves to their Slack user, and end that. */
export async function slackLinkPages(root: App, platform: Platform, hooks: SignInHooks) {
  const { sql, clock } = platform
  const { pageChange } = hooks
  await root.register(async (app: App) => {
    app.removeAllContentTypeParsers()
    formParser(app)
    answerWithPages(app, platform)
    const { inside, ofOwnForm } = createInside(hooks)
    const linkOf = (caller: Caller) => sql.asOrgs([caller.orgId], (tx) => findLinkOfMember(tx, caller.orgId, caller.id))

    app.get(linkPath, shows, async (request, reply) => {
      const session = await inside(request, reply)
      if (!session) return reply
      const { caller, csrfToken } = session
      const { code, done } = recordIn(request.query)
      if (typeof code !== 'string')
        return sendPage(reply, linkStatePage(await linkOf(caller), csrfToken, done === 'linked'))
      const text = code.slice(0, maxCodeLength)
      const offer = await sql.asOrgs([caller.orgId], (tx) => seeOffer(tx, caller, text, clock.now()))
      return sendPage(reply, offerPage(caller, offer, text, csrfToken))
    })

    app.post(linkPath, takesForm, async (request, reply) => {
      const session = ofOwnForm(request, await inside(request, reply))
      if (!session) return reply
      const { caller } = session
      const { code } = recordIn(request.body)
      const text = typeof code === 'string' ? code.slice(0, maxCodeLength) : ''
      await pageChange(request, actingAs(caller), (tools) => linkUser(tools, caller, text, clock.now()))
      return reply.redirect(`${linkPath}?done=linked`, 303)
    })

    app.post(`${linkPath}/end`, takesForm, async (request, reply) => {
      const session = ofOwnForm(request, await inside(request, reply))
      if (!session) return reply
      const { caller } = session
      const link = await linkOf(caller)
      if (!link) throw new ApiError('not_found', {}, { message: 'You are not linked to a Slack user.' })
      await pageChange(request, actingAs(caller), (tools) => unlinkUser(tools, caller.orgId, link.id))
      return reply.redirect(linkPath, 303)
    })
  })
}
