import { createMetrics } from '../../src/platform/infra/metrics.ts'
import { openCellLink } from '../../src/regions/link/link.ts'
import { beginMove, carryOutMove, type MoveView } from '../../src/regions/moves/moves.ts'
import { requireId } from '../../src/values/id.ts'
import type { CellUnderTest } from './cells.ts'

type MoveOptions = Partial<Parameters<typeof carryOutMove>[3]>

/** Returns the platform of a cell for another process than its api. */
export const moverPlatformOf = ({ server }: CellUnderTest) => ({
  ...server.platform,
  metrics: createMetrics({ version: 'test', role: 'orgs' }),
})

/** Opens the link of a cell as a command does, beside that of its api. */
export const linkOf = (cell: CellUnderTest) => openCellLink(moverPlatformOf(cell))!

/** Moves an organization as `orgs move` does, within this process. */
export async function moveOrg(
  from: CellUnderTest,
  to: CellUnderTest,
  org: string,
  options: MoveOptions = {},
): Promise<MoveView> {
  const link = linkOf(from)
  const id = requireId('org', org)
  try {
    await beginMove(from.server.platform, link, id, to.name)
    return await carryOutMove(from.server.platform, link, id, { keepDays: 7, ...options })
  } finally {
    link.close()
  }
}
