import { Type } from 'typebox'
import type { Change } from '../../access/changes/changes.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { createTxtLookup } from '../../platform/infra/txt-records.ts'
import { requireId } from '../../values/id.ts'
import { requireCanGive } from '../members/members.ts'
import { claimDomain, noteProof, removeDomain, replaceDomain } from './domains.ts'
import { displaceLapsedProof } from './proofs.ts'
import { findDomain, listDomains } from './queries.ts'
import { Domain, DomainInput, DomainList, DomainListQuery, DomainPath, DomainReplacement } from './schema.ts'
import { domainView, recordNameOf } from './view.ts'

export function domains(app: App, platform: Platform, change: Change) {
  const { sql, config, clock } = platform
  const tags = ['single sign-on']
  const reading = { role: 'admin', scope: 'sso:read', pinned: 'unaffected' } as const
  const writing = { role: 'owner', scope: 'sso:write' } as const
  const findTxtRecords = createTxtLookup(config.dnsServers)

  async function rowOf(orgId: string, domainId: string) {
    const id = requireId('domain', domainId)
    const row = await sql.asOrgs([orgId], (tx) => findDomain(tx, orgId, id))
    if (!row) throw new ApiError('not_found')
    return row
  }

  app.post(
    '/v1/orgs/:id/domains',
    {
      config: { ...writing, errors: ['conflict'] },
      schema: {
        operationId: 'createDomain',
        tags,
        summary: 'Claim a domain',
        description:
          'Claims the e-mail addresses of a domain. It counts once it is verified: enter its `record` in DNS, then verify it.',
        params: OrgPath,
        body: DomainInput,
        response: { 201: Domain },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      requireCanGive(request.caller, 'owner')
      return change(request, reply, { orgId, status: 201 }, (tools) => claimDomain(tools, orgId, request.body))
    },
  )

  app.get(
    '/v1/orgs/:id/domains',
    {
      config: reading,
      schema: {
        operationId: 'listDomains',
        tags,
        summary: 'List domains',
        description: 'The domains of the organization, verified or not.',
        params: OrgPath,
        querystring: DomainListQuery,
        response: { 200: DomainList },
      },
    },
    async ({ caller, query }) => {
      const { orgId } = caller
      const asked = pageRequest(query, 'created_at')
      const rows = await sql.asOrgs([orgId], (tx) => listDomains(tx, orgId, asked, query))
      const answer = pageResponse(rows, asked, ({ sort_value, id }) => ({ value: sort_value, id }))
      return { ...answer, data: answer.data.map(domainView) }
    },
  )

  app.get(
    '/v1/orgs/:id/domains/:domain_id',
    {
      config: reading,
      schema: {
        operationId: 'getDomain',
        tags,
        summary: 'Get a domain',
        description: 'Returns one domain, with the record that proves it.',
        params: DomainPath,
        response: { 200: Domain },
      },
    },
    async ({ caller, params }) => domainView(await rowOf(caller.orgId, params.domain_id)),
  )

  replaceable(
    app,
    '/v1/orgs/:id/domains/:domain_id',
    {
      config: writing,
      tags,
      name: 'Domain',
      put: {
        summary: 'Replace a domain',
        description: 'Sets the connection by which people of the domain sign in. The domain itself cannot be changed.',
      },
      patch: {
        summary: 'Change a domain',
        description: 'Changes the fields that are given and no other; otherwise as replacing it.',
      },
      params: DomainPath,
      body: DomainReplacement,
      view: Domain,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      requireCanGive(request.caller, 'owner')
      const id = requireId('domain', request.params.domain_id)
      return change(request, reply, { orgId }, (tools) => replaceDomain(tools, orgId, id, wanted))
    },
  )

  app.delete(
    '/v1/orgs/:id/domains/:domain_id',
    {
      config: writing,
      schema: {
        operationId: 'deleteDomain',
        tags,
        summary: 'Delete a domain',
        description: 'The organization claims it no more, and another may prove it.',
        params: DomainPath,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    (request, reply) => {
      const { orgId } = request.caller
      const id = requireId('domain', request.params.domain_id)
      return change(request, reply, { orgId, status: 204 }, (tools) => removeDomain(tools, orgId, id))
    },
  )

  app.post(
    '/v1/orgs/:id/domains/:domain_id/verify',
    {
      config: { ...writing, errors: ['conflict', 'service_unavailable'] },
      schema: {
        operationId: 'verifyDomain',
        tags,
        summary: 'Verify a domain',
        description:
          'Looks its record up in DNS. `status` says what came of it: `verified` where the record is there, `pending` where it is not, also if it was before. 409 while the record of another organization that has proved the domain is there; once it is gone the domain goes over.',
        params: DomainPath,
        response: { 200: Domain },
      },
    },
    async (request, reply) => {
      const { orgId } = request.caller
      const row = await rowOf(orgId, request.params.domain_id)
      requireCanGive(request.caller, 'owner')
      // Before the transaction: name servers take their time.
      const askedAt = clock.now()
      const records = await findTxtRecords(recordNameOf(row.domain))
      if (records === undefined)
        throw new ApiError('service_unavailable', {}, { message: 'No name server could be asked. Try again later.' })
      await displaceLapsedProof(platform, row, { records, askedAt })
      return change(request, reply, { orgId }, (tools) => noteProof(tools, clock, orgId, row.id, records))
    },
  )
}
