import { Type } from 'typebox'
import type { Change } from '../access/changes/changes.ts'
import { ApiError } from '../contract/errors.ts'
import { pageRequest, pageResponse } from '../contract/lists.ts'
import { describeTag } from '../contract/openapi.ts'
import { OrNotSet, replaceable } from '../contract/replaceable.ts'
import type { App } from '../contract/routes.ts'
import { OrgPath } from '../contract/wire.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { requireId } from '../values/id.ts'
import { openOutbound } from '../webhooks/webhooks.ts'
import { findApp } from './app-queries.ts'
import { testApp } from './app-test.ts'
import { getApp, putApp, removeApp } from './apps.ts'
import { findLink, listLinks } from './link-queries.ts'
import { linkView, unlinkUser } from './links.ts'
import { manifestOf } from './manifest.ts'
import {
  SlackApp,
  SlackAppInput,
  SlackAppTest,
  SlackLink,
  SlackLinkList,
  SlackLinkListQuery,
  SlackLinkPath,
  SlackManifest,
} from './schema.ts'
import { createSlackSecrets } from './secrets.ts'
import { createSlackClient } from './web-api.ts'

const tags = ['slack']

/** The Slack app of an organization. What is secret of it lets its keeper press buttons, so it belongs to those who say how people sign in. */
export function slackApp(app: App, platform: Platform, change: Change) {
  const { sql, clock, config, addresses, version } = platform
  const secrets = createSlackSecrets(config)
  const outbound = openOutbound(config)
  app.addHook('onClose', outbound.close)
  const slack = createSlackClient(outbound, config, version, () => clock.now().getTime())
  const reading = { role: 'admin', scope: 'sso:read', pinned: 'unaffected' } as const
  const writing = { role: 'owner', scope: 'sso:write' } as const
  describeTag(app, 'slack', 'The Slack app in which approvals are told and decided, and the members whom it knows.')

  app.get(
    '/v1/orgs/:id/slack-app',
    {
      config: reading,
      schema: {
        operationId: 'getSlackApp',
        tags,
        summary: 'Get the Slack app',
        description: 'The app without its secrets; null in every field where there is none.',
        params: OrgPath,
        response: { 200: OrNotSet(SlackApp) },
      },
    },
    ({ caller }) => sql.asOrgs([caller.orgId], (tx) => getApp(tx, caller.orgId)),
  )

  replaceable(
    app,
    '/v1/orgs/:id/slack-app',
    {
      config: writing,
      tags,
      name: 'SlackApp',
      put: {
        summary: 'Set the Slack app',
        description:
          'Requests for approval are told in its channel from now on, and members who are linked decide there. Secrets that are left out stay.',
      },
      patch: {
        summary: 'Change the Slack app',
        description: 'Changes the fields that are given and no other; otherwise as setting it.',
      },
      params: OrgPath,
      body: SlackAppInput,
      view: SlackApp,
    },
    (request, reply, wanted) => {
      const { caller } = request
      return change(request, reply, { orgId: caller.orgId }, (tools) =>
        putApp(secrets, tools, caller, wanted, clock.now()),
      )
    },
  )

  app.delete(
    '/v1/orgs/:id/slack-app',
    {
      config: writing,
      schema: {
        operationId: 'deleteSlackApp',
        tags,
        summary: 'Remove the Slack app',
        description:
          'Nothing is told or decided in Slack any more, and no Slack user is linked. Messages that are there stay as they are.',
        params: OrgPath,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId, status: 204 }, (tools) => removeApp(tools, orgId))
    },
  )

  app.get(
    '/v1/orgs/:id/slack-app/manifest',
    {
      config: reading,
      schema: {
        operationId: 'getSlackManifest',
        tags,
        summary: 'Get the manifest of the Slack app',
        description: 'Slack makes the app from it: api.slack.com/apps, “Create New App”, “From a manifest”.',
        params: OrgPath,
        response: { 200: SlackManifest },
      },
    },
    ({ caller }) => manifestOf(addresses, caller.orgId),
  )

  app.post(
    '/v1/orgs/:id/slack-app/test',
    {
      config: { role: 'admin', scope: 'sso:write' },
      schema: {
        operationId: 'testSlackApp',
        tags,
        summary: 'Test the Slack app',
        description:
          'Posts a message to its channel, with a button by which people link themselves, and says what Slack answered.',
        params: OrgPath,
        response: { 200: SlackAppTest },
      },
    },
    async ({ caller: { orgId } }) => {
      const row = await sql.asOrgs([orgId], (tx) => findApp(tx, orgId))
      if (!row) throw new ApiError('not_found')
      const token = secrets.unsealSecret(orgId, 'bot token', row.sealed_bot_token)
      return testApp(slack, token, row.channel, addresses.publicUrl())
    },
  )
}

/** The links of Slack users to members. Members make and end their own on a page of the console. */
export function slackLinks(app: App, { sql }: Platform, change: Change) {
  app.get(
    '/v1/orgs/:id/slack-links',
    {
      config: { role: 'admin', scope: 'members:read', pinned: 'unaffected' },
      schema: {
        operationId: 'listSlackLinks',
        tags,
        summary: 'List Slack users who are members',
        description: 'Each decides on approvals in Slack as their member may.',
        params: OrgPath,
        querystring: SlackLinkListQuery,
        response: { 200: SlackLinkList },
      },
    },
    async ({ caller: { orgId }, query }) => {
      const asked = pageRequest(query, 'created_at')
      const memberId = query.member_id === undefined ? undefined : requireId('member', query.member_id)
      const rows = await sql.asOrgs([orgId], (tx) => listLinks(tx, orgId, asked, memberId))
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(linkView) }
    },
  )

  app.get(
    '/v1/orgs/:id/slack-links/:slack_link_id',
    {
      config: { role: 'admin', scope: 'members:read', pinned: 'unaffected' },
      schema: {
        operationId: 'getSlackLink',
        tags,
        summary: 'Get the link of a Slack user',
        description: 'The member as whom the user decides.',
        params: SlackLinkPath,
        response: { 200: SlackLink },
      },
    },
    async ({ caller: { orgId }, params }) => {
      const id = requireId('slackLink', params.slack_link_id)
      const row = await sql.asOrgs([orgId], (tx) => findLink(tx, orgId, id))
      if (!row) throw new ApiError('not_found')
      return linkView(row)
    },
  )

  app.delete(
    '/v1/orgs/:id/slack-links/:slack_link_id',
    {
      config: { role: 'admin', scope: 'members:write' },
      schema: {
        operationId: 'deleteSlackLink',
        tags,
        summary: 'End the link of a Slack user',
        description: 'The user decides nothing from then on, until they link themselves again.',
        params: SlackLinkPath,
        response: { 204: Type.Null({ description: 'Ended.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('slackLink', request.params.slack_link_id)
      return change(request, reply, { orgId, status: 204 }, (tools) => unlinkUser(tools, orgId, id))
    },
  )
}
