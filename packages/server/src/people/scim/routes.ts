import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChangeAuthor, PageChange, PageTools } from '../../access/changes/changes.ts'
import type { Caller, Identification } from '../../access/identity/identity.ts'
import { reportError } from '../../contract/envelope.ts'
import { type ApiError, type ErrorCode, isApiError } from '../../contract/errors.ts'
import { jsonBody } from '../../contract/json-body.ts'
import type { App } from '../../contract/routes.ts'
import { bodyFaultsOf } from '../../contract/unreadable-body.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { RequestRates } from '../../tenants/rate-limits/rate-limits.ts'
import { formatId, parseId } from '../../values/id.ts'
import { recordIn } from '../../values/records.ts'
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.ts'
import { parseFilter } from './filter.ts'
import { findGroup, membersOfGroups } from './group-queries.ts'
import { findGroups } from './group-search.ts'
import { createGroup, noSuchGroup, patchGroup, removeGroup, replaceGroup, viewOfGroup } from './groups.ts'
import { listResponse, readPage, readProjection } from './list-response.ts'
import { findUser } from './queries.ts'
import { badFilter, badSyntax, errorBody, ScimError, type ScimType } from './refusals.ts'
import { scimBase } from './tokens.ts'
import { findUsers } from './user-search.ts'
import { createUser, noSuchUser, patchUserById, removeUser, replaceUser, viewOfUser } from './users.ts'

export { directories } from './token-routes.ts'

interface Hooks {
  readonly identification: Identification
  readonly pageChange: PageChange
  readonly rates: RequestRates
}

const mediaType = 'application/scim+json'
const bodyTypes = { [mediaType]: jsonBody }
const reads = { config: { urgency: 'read', readClass: 'read' } } as const
/** A list may have to look through all members, so few of an organization run at a time. */
const lists = { config: { urgency: 'read', readClass: 'expensive' } } as const
const changes = { config: { urgency: 'change', bodyTypes } } as const

type ById = { Params: { id: string } }

/** Serves SCIM 2.0 to directories. Its answers and errors are those of RFC 7644, not those of `/v1`. */
export async function scim(root: App, platform: Platform, hooks: Hooks) {
  await root.register(
    async (app: App) => {
      answerByProtocol(app, platform)
      app.addHook('onRequest', async (request) => {
        if (request.is404) return
        const directory = await hooks.identification.directoryOf(request)
        await hooks.rates.require(directory, request.method)
        request.principal = directory
      })
      discoveryRoutes(app, platform)
      userRoutes(app, platform, hooks)
      groupRoutes(app, platform, hooks)
    },
    { prefix: '/scim/v2' },
  )
}

const send = (reply: FastifyReply, body: object, status = 200) =>
  reply.code(status).type(mediaType).serializer(String).send(JSON.stringify(body))

const scimTypes: Partial<Record<ErrorCode, ScimType>> = { conflict: 'uniqueness', validation_failed: 'invalidValue' }

/** Answers every error as the protocol says. */
function answerByProtocol(app: App, { log }: Platform) {
  app.setErrorHandler((thrown: unknown, request, reply) => {
    if (thrown instanceof ScimError)
      return send(reply, errorBody(thrown.status, thrown.message, thrown.scimType), thrown.status)
    const error = reportError(log, thrown, request)
    if (isApiError(error, 'rate_limited')) reply.header('retry-after', error.details.retry_after_seconds)
    if (error.status === 401) reply.header('www-authenticate', 'Bearer realm="Weir SCIM"')
    return send(reply, errorBody(error.status, detailOf(error), scimTypes[error.code]), error.status)
  })
  app.setNotFoundHandler((_request, reply) => send(reply, errorBody(404, 'There is nothing at this address.'), 404))
}

const detailOf = (error: ApiError) =>
  isApiError(error, 'validation_failed')
    ? error.details.fields.map(({ field, message }) => `${field}: ${message}`).join(' ')
    : error.message

const authorOf = (caller: Caller): ChangeAuthor => ({
  orgId: caller.orgId,
  actor: { kind: 'directory', id: formatId('scimToken', caller.id), role: 'directory' },
  caller,
})

/** Returns the body of a request, or throws what is wrong with it. */
function bodyOf({ body }: FastifyRequest): unknown {
  const [fault] = bodyFaultsOf(body) ?? []
  if (fault) throw badSyntax(fault.message)
  if (body === undefined) throw badSyntax('The request needs a body.')
  return body
}

function filterIn(query: unknown) {
  const { filter } = recordIn(query)
  if (filter === undefined || filter === '') return undefined
  if (typeof filter !== 'string') throw badFilter('There can be one filter only.')
  return parseFilter(filter)
}

function discoveryRoutes(app: App, platform: Platform) {
  const base = () => scimBase(platform)
  const oneOf = (reply: FastifyReply, list: readonly (object & { id: string })[], id: string) => {
    const found = list.find((each) => each.id === id)
    if (!found) throw new ScimError(404, 'There is nothing at this address.')
    return send(reply, found)
  }
  app.get('/ServiceProviderConfig', reads, (_request, reply) => send(reply, serviceProviderConfig(base())))
  app.get('/ResourceTypes', reads, (_request, reply) => {
    const all = resourceTypes(base())
    return send(reply, listResponse(all, all.length, 1))
  })
  app.get<ById>('/ResourceTypes/:id', reads, ({ params }, reply) => oneOf(reply, resourceTypes(base()), params.id))
  app.get('/Schemas', reads, (_request, reply) => {
    const all = schemas(base())
    return send(reply, listResponse(all, all.length, 1))
  })
  app.get<ById>('/Schemas/:id', reads, ({ params }, reply) => oneOf(reply, schemas(base()), params.id))
}

/** Makes a change as the directory of a request. */
const changeWith =
  (pageChange: PageChange) =>
  <T>(request: FastifyRequest, work: (tools: PageTools, orgId: string) => Promise<T>): Promise<T> =>
    pageChange(request, authorOf(request.caller), (tools) => work(tools, request.caller.orgId))

function userRoutes(app: App, platform: Platform, { pageChange }: Hooks) {
  const { sql } = platform
  const base = () => scimBase(platform)
  const change = changeWith(pageChange)

  app.get('/Users', lists, async (request, reply) => {
    const { orgId } = request.caller
    const page = readPage(request.query)
    const projection = readProjection(request.query)
    const filter = filterIn(request.query)
    const { rows, total } = await sql.asOrgs([orgId], (tx) => findUsers(tx, orgId, filter, page))
    const resources = rows.map((row) => projection.apply(viewOfUser(row, base())))
    return send(reply, listResponse(resources, total, page.startIndex))
  })

  app.get<ById>('/Users/:id', reads, async (request, reply) => {
    const { orgId } = request.caller
    const projection = readProjection(request.query)
    const id = parseId('member', request.params.id)
    const row = id === undefined ? undefined : await sql.asOrgs([orgId], (tx) => findUser(tx, orgId, id))
    if (!row) throw noSuchUser()
    return send(reply, projection.apply(viewOfUser(row, base())))
  })

  app.post('/Users', changes, async (request, reply) => {
    const body = bodyOf(request)
    const row = await change(request, (tools, orgId) => createUser(platform, tools, orgId, body))
    const view = viewOfUser(row, base())
    return send(reply.header('location', view.meta.location), view, 201)
  })

  app.put<ById>('/Users/:id', changes, async (request, reply) => {
    const body = bodyOf(request)
    const { id } = request.params
    const row = await change(request, (tools, orgId) => replaceUser(platform, tools, orgId, id, body))
    return send(reply, viewOfUser(row, base()))
  })

  app.patch<ById>('/Users/:id', changes, async (request, reply) => {
    const body = bodyOf(request)
    const { id } = request.params
    const row = await change(request, (tools, orgId) => patchUserById(platform, tools, orgId, id, body))
    return send(reply, viewOfUser(row, base()))
  })

  app.delete<ById>('/Users/:id', changes, async (request, reply) => {
    const { id } = request.params
    await change(request, (tools, orgId) => removeUser(platform, tools, orgId, id))
    return reply.code(204).send()
  })
}

function groupRoutes(app: App, platform: Platform, { pageChange }: Hooks) {
  const { sql } = platform
  const base = () => scimBase(platform)
  const change = changeWith(pageChange)

  /** Answers with a group as it is now, its members included unless the query excludes them. */
  async function answerWith(request: FastifyRequest, reply: FastifyReply, id: string | undefined, status = 200) {
    const { orgId } = request.caller
    const projection = readProjection(request.query)
    const view =
      id &&
      (await sql.asOrgs([orgId], async (tx) => {
        const row = await findGroup(tx, orgId, id)
        const members = projection.includes('members') ? await membersOfGroups(tx, orgId, [id]) : undefined
        return row && viewOfGroup(row, members, base())
      }))
    if (!view) throw noSuchGroup()
    if (status === 201) reply.header('location', view.meta.location)
    return send(reply, projection.apply(view), status)
  }

  app.get('/Groups', lists, async (request, reply) => {
    const { orgId } = request.caller
    const page = readPage(request.query)
    const projection = readProjection(request.query)
    const filter = filterIn(request.query)
    const hasMembers = projection.includes('members')
    const { views, total } = await sql.asOrgs([orgId], async (tx) => {
      const found = await findGroups(tx, orgId, filter, page, hasMembers)
      const ids = found.rows.map(({ id }) => id)
      const members = Map.groupBy(hasMembers ? await membersOfGroups(tx, orgId, ids) : [], ({ group_id }) => group_id)
      const membersOf = (id: string) => (hasMembers ? (members.get(id) ?? []) : undefined)
      return { total: found.total, views: found.rows.map((row) => viewOfGroup(row, membersOf(row.id), base())) }
    })
    return send(reply, listResponse(views.map(projection.apply), total, page.startIndex))
  })

  app.get<ById>('/Groups/:id', reads, (request, reply) =>
    answerWith(request, reply, parseId('scimGroup', request.params.id)),
  )

  app.post('/Groups', changes, async (request, reply) => {
    const body = bodyOf(request)
    const { id } = await change(request, (tools, orgId) => createGroup(platform, tools, orgId, body))
    return answerWith(request, reply, id, 201)
  })

  app.put<ById>('/Groups/:id', changes, async (request, reply) => {
    const body = bodyOf(request)
    const { id } = request.params
    const group = await change(request, (tools, orgId) => replaceGroup(platform, tools, orgId, id, body))
    return answerWith(request, reply, group.id)
  })

  app.patch<ById>('/Groups/:id', changes, async (request, reply) => {
    const body = bodyOf(request)
    const { id } = request.params
    await change(request, (tools, orgId) => patchGroup(platform, tools, orgId, id, body))
    // Directories change large groups one member at a time: all of them in each answer would be too much.
    return reply.code(204).send()
  })

  app.delete<ById>('/Groups/:id', changes, async (request, reply) => {
    const { id } = request.params
    await change(request, (tools, orgId) => removeGroup(platform, tools, orgId, id))
    return reply.code(204).send()
  })
}
