import type { Platform } from '../../platform/infra/platform.ts'
import { type Repetition, repeat } from '../../platform/infra/repeat.ts'
import { formatId } from '../../values/id.ts'
import { openCellLink } from '../link/link.ts'
import { carryOutMove, thawAbandoned } from './move-queries.ts'
import { listClosed } from './record-queries.ts'

/** Days for which rows are kept that a rescued move has left behind, as where the command is given none. */
const keepDays = 7

/**
 * Looks for organizations that are closed because they move, and whose mover is gone. One that has not been moved yet is opened where it is,
 * for the command to be run again; one that has is opened at its new home.
 */
export function rescueMoves(platform: Platform, everyMs = 2_000): Repetition {
  const { sql, log } = platform
  const link = openCellLink(platform)
  if (!link) return { close: async () => undefined }

  async function rescue() {
    for (const { moved_org: org, state } of await listClosed(sql.pool)) {
      const about = { org_id: formatId('org', org) }
      try {
        if (state === 'moved') {
          await carryOutMove(platform, link!, org, { keepDays })
          log.warn(about, 'completed the move of an organization, whose mover was gone')
        } else if (await thawAbandoned(platform, org))
          log.warn(about, 'opened an organization again, whose mover was gone: run orgs move again')
      } catch (error) {
        log.debug({ ...about, error }, 'a move was left to whoever carries it out')
      }
    }
  }

  const rescuing = repeat(rescue, {
    everyMs,
    onError: (error) => log.debug({ error }, 'nobody has looked for abandoned moves'),
  })
  return {
    close: async () => {
      await rescuing.close()
      link.close()
    },
  }
}
