import type { Change } from '../../access/changes/changes.ts'
import { asSvg } from '../../contract/content-policy.ts'
import { ApiError } from '../../contract/errors.ts'
import { pageRequest, pageResponse } from '../../contract/lists.ts'
import { describeTag } from '../../contract/openapi.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { requireId } from '../../values/id.ts'
import { timestampOrNull } from '../../values/timestamp.ts'
import { cohortView, createCohort, getMembership, putMembership, readBenchmark, replaceCohort } from './benchmarks.ts'
import { drawBenchmark } from './chart.ts'
import { findCohort, latestPublished, listCohorts, membershipsOf } from './queries.ts'
import {
  BenchmarkAnswer,
  BenchmarkMembership,
  BenchmarkQuery,
  Cohort,
  CohortInput,
  CohortList,
  CohortListQuery,
  CohortPath,
  CohortReplacement,
  ListedCohorts,
  MembershipInput,
} from './schema.ts'

export function benchmarks(app: App, platform: Platform, change: Change) {
  describeTag(
    app,
    'benchmarks',
    'Comparisons of an organization with similar ones, without revealing anybody’s values.',
  )
  tenantRoutes(app, platform, change)
  operatorRoutes(app, platform, change)
}

const tags = ['benchmarks']

function tenantRoutes(app: App, platform: Platform, change: Change) {
  const { sql } = platform

  app.get(
    '/v1/benchmarks/cohorts',
    {
      config: { role: 'viewer', scope: 'benchmarks:read' },
      schema: {
        operationId: 'listBenchmarkCohorts',
        tags,
        summary: 'List cohorts',
        description: 'The cohorts that you can compare yourself with, and whether you have joined them.',
        querystring: CohortListQuery,
        response: { 200: ListedCohorts },
      },
    },
    ({ caller, query }) => {
      const asked = pageRequest(query, 'created_at')
      const { orgId } = caller
      return sql.asOrgs([orgId], async (tx) => {
        const answer = pageResponse(await listCohorts(tx, asked, query), asked, ({ sort_value, id }) => ({
          value: sort_value,
          id,
        }))
        const joined = new Set((await membershipsOf(tx, orgId)).map(({ cohort_id }) => cohort_id))
        const latest = await latestPublished(
          tx,
          answer.data.map(({ id }) => id),
        )
        return {
          ...answer,
          data: answer.data.map((row) => ({
            ...cohortView(row),
            member: joined.has(row.id),
            latest_period_start: timestampOrNull(latest.get(row.id) ?? null),
          })),
        }
      })
    },
  )

  app.get(
    '/v1/benchmarks/cohorts/:cohort_id',
    {
      config: { role: 'viewer', scope: 'benchmarks:read', expensive: true, errors: ['insufficient_cohort_size'] },
      schema: {
        operationId: 'getBenchmark',
        tags,
        summary: 'Compare with a cohort',
        description:
          'Percentiles over the organizations that contributed to a period, with your own values. Refused with 400 `insufficient_cohort_size` when nothing was published, or when too few of the contributors are still members.',
        params: CohortPath,
        querystring: BenchmarkQuery,
        response: { 200: BenchmarkAnswer },
      },
    },
    async ({ caller, params, query }, reply) => {
      const benchmark = await readBenchmark(platform, caller.orgId, requireId('cohort', params.cohort_id), query)
      if (query.format !== 'svg') return reply.type('application/json').send(benchmark)
      return asSvg(reply).send(drawBenchmark(benchmark))
    },
  )

  app.get(
    '/v1/orgs/:id/benchmark-membership',
    {
      config: { role: 'viewer', scope: 'benchmarks:read' },
      schema: {
        operationId: 'getBenchmarkMembership',
        tags,
        summary: 'Get your cohort memberships',
        description: 'The cohorts to which your organization contributes its values.',
        params: OrgPath,
        response: { 200: BenchmarkMembership },
      },
    },
    ({ caller }) => sql.asOrgs([caller.orgId], (tx) => getMembership(tx, caller.orgId)),
  )

  replaceable(
    app,
    '/v1/orgs/:id/benchmark-membership',
    {
      config: { role: 'admin', scope: 'benchmarks:write' },
      tags,
      name: 'BenchmarkMembership',
      put: {
        summary: 'Join and leave cohorts',
        description:
          'Replaces the list of cohorts. You contribute to every period that ends while you are a member, unless you leave before it is published. An organization that rejoins starts over.',
      },
      patch: {
        summary: 'Change your cohort memberships',
        description: 'The list is a single field, so this is the same as replacing it.',
      },
      params: OrgPath,
      body: MembershipInput,
      view: BenchmarkMembership,
    },
    (request, reply, wanted) => {
      const { orgId } = request.caller
      return change(request, reply, { orgId }, (tools) => putMembership(tools, orgId, wanted))
    },
  )
}

function operatorRoutes(app: App, { sql }: Platform, change: Change) {
  app.post(
    '/v1/admin/benchmarks/cohorts',
    {
      config: { role: 'operator', scope: 'admin:write' },
      schema: {
        operationId: 'createBenchmarkCohort',
        tags,
        summary: 'Define a cohort',
        description: 'Any organization can join the cohort. Its definition cannot be changed later.',
        body: CohortInput,
        response: { 201: Cohort },
      },
    },
    (request, reply) =>
      change(request, reply, { orgId: request.caller.orgId, status: 201 }, (tools) =>
        createCohort(tools, request.body),
      ),
  )

  app.get(
    '/v1/admin/benchmarks/cohorts',
    {
      config: { role: 'operator', scope: 'admin:read' },
      schema: {
        operationId: 'listCohortDefinitions',
        tags,
        summary: 'List cohort definitions',
        description: 'All cohorts. Their members, and the number of members, are shown to nobody.',
        querystring: CohortListQuery,
        response: { 200: CohortList },
      },
    },
    async ({ query }) => {
      const asked = pageRequest(query, 'created_at')
      const answer = pageResponse(await listCohorts(sql.db, asked, query), asked, ({ sort_value, id }) => ({
        value: sort_value,
        id,
      }))
      return { ...answer, data: answer.data.map(cohortView) }
    },
  )

  app.get(
    '/v1/admin/benchmarks/cohorts/:cohort_id',
    {
      config: { role: 'operator', scope: 'admin:read', errors: ['not_found'] },
      schema: {
        operationId: 'getCohortDefinition',
        tags,
        summary: 'Get a cohort definition',
        description: 'Returns one cohort. Its members, and the number of members, are shown to nobody.',
        params: CohortPath,
        response: { 200: Cohort },
      },
    },
    async ({ params }) => {
      const row = await findCohort(sql.db, requireId('cohort', params.cohort_id))
      if (!row) throw new ApiError('not_found')
      return cohortView(row)
    },
  )

  replaceable(
    app,
    '/v1/admin/benchmarks/cohorts/:cohort_id',
    {
      config: { role: 'operator', scope: 'admin:write', errors: ['not_found'] },
      tags,
      name: 'BenchmarkCohort',
      put: {
        summary: 'Replace the name and the status of a cohort',
        description: 'Replaces both fields; the definition of the cohort cannot be changed.',
      },
      patch: {
        summary: 'Rename, close or reopen a cohort',
        description:
          'A closed cohort cannot be joined, and no further periods are published for it. Published values remain.',
      },
      params: CohortPath,
      body: CohortReplacement,
      view: Cohort,
    },
    (request, reply, wanted) =>
      change(request, reply, { orgId: request.caller.orgId }, (tools) =>
        replaceCohort(tools, requireId('cohort', request.params.cohort_id), wanted),
      ),
  )
}
