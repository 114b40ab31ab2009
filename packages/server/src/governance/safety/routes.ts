import type { Change } from '../../access/changes/changes.ts'
import { replaceable } from '../../contract/replaceable.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import {
  assertPatterns,
  getContentSafety,
  type Inspector,
  putContentSafety,
  type SafetyCache,
  testContentSafety,
} from './safety.ts'
import {
  ContentSafety,
  ContentSafetyInput,
  ContentSafetyTest,
  ContentSafetyTestInput,
  type SafetyDraftInput,
} from './schema.ts'

export function contentSafety(
  app: App,
  { sql }: Pick<Platform, 'sql'>,
  change: Change,
  { safety, inspector }: { readonly safety: SafetyCache; readonly inspector: Inspector },
) {
  const tags = ['policies']

  app.get(
    '/v1/orgs/:id/content-safety',
    {
      config: { role: 'viewer', scope: 'policies:read', pinned: 'unaffected' },
      schema: {
        operationId: 'getContentSafety',
        tags,
        summary: 'Get the content safety settings',
        description: "Every detector with its mode and threshold, the organization's own patterns and its allow-list.",
        params: OrgPath,
        response: { 200: ContentSafety },
      },
    },
    ({ caller }) => sql.asOrgs([caller.orgId], (tx) => getContentSafety(tx, caller.orgId)),
  )

  replaceable(
    app,
    '/v1/orgs/:id/content-safety',
    {
      config: { role: 'admin', scope: 'policies:write' },
      tags,
      name: 'ContentSafety',
      put: {
        summary: 'Replace the content safety settings',
        description:
          'Replaces all settings; a detector that is left out is turned off. Applies from the next run on, in every process. A pattern that is invalid or too expensive is refused.',
      },
      patch: {
        summary: 'Change the content safety settings',
        description:
          'Replaces only the given ones of detectors, patterns and allow-list, each as a whole; otherwise the same as replacing the settings.',
      },
      params: OrgPath,
      body: ContentSafetyInput,
      view: ContentSafety,
    },
    async (request, reply, wanted) => {
      const { orgId } = request.caller
      await assertPatterns(request.body as SafetyDraftInput, '')
      return change(request, reply, { orgId }, (tools) => putContentSafety(tools, orgId, wanted))
    },
  )

  app.post(
    '/v1/orgs/:id/content-safety/test',
    {
      // Nothing of the request may be stored, so no idempotency key is claimed.
      config: { role: 'admin', scope: 'policies:write', ignoresIdempotencyKey: true, takesInput: true },
      schema: {
        operationId: 'testContentSafety',
        tags,
        summary: 'Try content safety on a text',
        description:
          'Returns the findings of the detectors in a text, including those below their thresholds, with the saved settings or a draft. The text is neither stored nor logged, and no event or metric is produced.',
        params: OrgPath,
        body: ContentSafetyTestInput,
        response: { 200: ContentSafetyTest },
      },
    },
    async ({ caller, body }) => testContentSafety(inspector, caller.orgId, await safety.get(caller.orgId), body),
  )
}
