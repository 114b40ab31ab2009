import { isDeepStrictEqual } from 'node:util'
import type { Change } from '../../access/changes/changes.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import { OrgPath } from '../../contract/wire.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { operatorsOrgId } from '../../values/id.ts'
import { recordIn } from '../../values/records.ts'
import {
  getInstallationPrices,
  getPricesBefore,
  type OwnPrice,
  type PriceInput,
  putInstallationPrices,
  setPrices,
  settingsIn,
} from '../prices/prices.ts'
import { assertApplicable, importView } from './import-view.ts'
import type { PlanTask } from './plan-task.ts'
import { createPlanThread } from './plan-thread.ts'
import type { ImportPlan } from './price-imports.ts'
import { PriceImport, PriceImportInput } from './schema.ts'

const changed = () =>
  new ApiError('conflict', {}, { message: 'Prices have changed since this was compared. Compare again, then import.' })

/** Everything that a comparison depends on and that somebody may have changed since. */
function comparedOf(state: object | undefined) {
  const { prices, updated_at, installation_updated_at } = recordIn(state)
  return { prices, updated_at, installation_updated_at }
}

/** Returns an entry as somebody would send it. */
const inputOf = ({ id: _id, created_at: _created, ...input }: OwnPrice): PriceInput => input

/** Imports of price lists: compared with what is in effect, and applied as compared. */
export function priceImports(app: App, { sql, clock }: Platform, change: Change) {
  const thread = createPlanThread()
  app.addHook('onClose', () => thread.close())

  async function planOf(
    orgId: string,
    input: PriceImportInput,
    { standing, behind }: Pick<PlanTask, 'standing' | 'behind'>,
  ): Promise<ImportPlan> {
    const { file: text, format, only = [], providers = [], with_free: withFree = false, replace = false } = input
    const result = await thread.run(orgId, {
      text,
      format,
      choice: { only, providers, withFree },
      standing,
      behind,
      replaces: replace,
      nowMs: clock.now().getTime(),
    })
    if ('unreadable' in result)
      throw validationFailed([{ field: 'file', code: 'invalid_format', message: result.unreadable }])
    return result.plan
  }

  /** Returns what is to be applied; undefined where nothing is. */
  function appliedOf(plan: ImportPlan, input: PriceImportInput): PriceInput[] | undefined {
    if (input.dry_run === true) return undefined
    if (input.digest !== undefined && input.digest !== importView(plan, false).digest) throw changed()
    assertApplicable(plan, input)
    return plan.changed.length === 0 ? undefined : [...plan.entries]
  }

  const described =
    'Reads a file of genai-prices, LiteLLM or models.dev, compares it with what is in effect, and makes entries of what differs. With `dry_run` nothing is changed: the answer says what would be, and its `digest` sent with the import applies exactly that.'
  const body = PriceImportInput
  const response = { 200: PriceImport }

  app.post(
    '/v1/orgs/:id/prices/import',
    {
      config: { role: 'admin', scope: 'limits:write', errors: ['conflict'], bulk: true },
      schema: {
        operationId: 'importPrices',
        tags: ['limits'],
        summary: 'Import prices of models',
        description: `${described} They become entries of your own: each counts for calls that name its provider.`,
        params: OrgPath,
        body,
        response,
      },
    },
    async (request, reply) => {
      const { orgId } = request.caller
      const input = request.body
      const { prices: seen, installation } = await sql.asOrgs([orgId], (tx) =>
        getPricesBefore(tx, orgId, clock.now().getTime()),
      )
      const plan = await planOf(orgId, input, {
        standing: seen.prices.map(inputOf),
        behind: installation.entries,
      })
      const applied = appliedOf(plan, input)
      return change(request, reply, { orgId }, async (tools) => {
        if (applied)
          await setPrices({ ...tools, replaces: () => undefined }, orgId, (standing) => {
            if (!isDeepStrictEqual(comparedOf(standing), comparedOf(seen))) throw changed()
            return { ...settingsIn(seen), prices: applied }
          })
        return importView(plan, input.dry_run === true)
      })
    },
  )

  app.post(
    '/v1/admin/prices/import',
    {
      config: { role: 'operator', scope: 'admin:write', errors: ['conflict'], bulk: true },
      schema: {
        operationId: 'importInstallationPrices',
        tags: ['limits'],
        summary: 'Import prices of the installation',
        description: `${described} They become entries for every organization.`,
        body,
        response,
      },
    },
    async (request, reply) => {
      const { orgId } = request.caller
      const input = request.body
      const seen = await sql.asOrgs([operatorsOrgId], getInstallationPrices)
      const plan = await planOf(orgId, input, { standing: seen.prices.map(inputOf), behind: undefined })
      const applied = appliedOf(plan, input)
      return change(request, reply, { orgId }, async (tools) => {
        if (applied)
          await putInstallationPrices({ ...tools, replaces: () => undefined }, (standing) => {
            if (!isDeepStrictEqual(comparedOf(standing), comparedOf(seen))) throw changed()
            return { prices: applied }
          })
        return importView(plan, input.dry_run === true)
      })
    },
  )
}
