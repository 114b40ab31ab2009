import type { Change } from '../changes/changes.ts'
import { replaceable } from '../contract/replaceable.ts'
import type { App } from '../contract/routes.ts'
import { OrgPath } from '../contract/wire.ts'
import type { Platform } from '../infra/platform.ts'
import { checkedPatterns, getContentSafety, putContentSafety, type Safety, tryOut } from './safety.ts'
import {
  ContentSafety,
  ContentSafetyInput,
  ContentSafetyTest,
  ContentSafetyTestInput,
  type SafetyDraftInput,
} from './schema.ts'

export function contentSafety(app: App, { sql }: Pick<Platform, 'sql'>, change: Change, safety: Safety) {
  const tags = ['policies']

  app.get(
    '/v1/orgs/:id/content-safety',
    {
      config: { role: 'viewer', scope: 'policies:read', pinned: 'unaffected' },
      schema: {
        operationId: 'getContentSafety',
        tags,
        summary: 'Get what content safety looks for',
        description: "Every detector with its mode and threshold, the organization's own patterns and what is allowed.",
        params: OrgPath,
        response: { 200: ContentSafety },
      },
    },
    ({ principal }) => sql.asOrgs([principal!.orgId], (tx) => getContentSafety(tx, principal!.orgId)),
  )

  replaceable(
    app,
    '/v1/orgs/:id/content-safety',
    {
      config: { role: 'admin', scope: 'policies:write' },
      tags,
      name: 'ContentSafety',
      put: {
        summary: 'Set what content safety looks for',
        description:
          'Replaces everything: a detector that is left out is off. Binds the next run on every process. A pattern that cannot be read, or that would take too long, is refused.',
      },
      patch: {
        summary: 'Change what content safety looks for',
        description:
          'Replaces the detectors, the patterns or the allow-list, whichever is given, as a whole; otherwise as setting it.',
      },
      params: OrgPath,
      body: ContentSafetyInput,
      view: ContentSafety,
    },
    async (request, reply, wanted) => {
      const { orgId } = request.principal!
      await checkedPatterns(request.body as SafetyDraftInput, '')
      return change(request, reply, { orgId }, (tools) => putContentSafety(tools, orgId, wanted))
    },
  )

  app.post(
    '/v1/orgs/:id/content-safety/test',
    {
      // Nothing of it may be kept, so there is nothing to claim a key for.
      config: { role: 'admin', scope: 'policies:write', ignoresIdempotencyKey: true },
      schema: {
        operationId: 'testContentSafety',
        tags,
        summary: 'Try content safety on a text',
        description:
          'What the detectors find in a text, also below their thresholds, under what is set or under a draft. The text is neither stored nor logged, and nothing is told or counted.',
        params: OrgPath,
        body: ContentSafetyTestInput,
        response: { 200: ContentSafetyTest },
      },
    },
    async ({ principal, body }) => tryOut(await safety.of(principal!.orgId), body),
  )
}
