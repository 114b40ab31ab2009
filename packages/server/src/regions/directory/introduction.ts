import { CommandRefused } from '../../platform/infra/command-refused.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { recordIn } from '../../values/records.ts'
import { errorOf } from '../../values/thrown.ts'
import { type CellLink, OtherMasterKeys } from '../link/link.ts'

export const cellPath = '/internal/cell'

/**
 * Introduces this cell to the others before it serves. Throws on a setting by which they could not work as one; a cell that is away
 * does not keep this one from starting.
 */
export async function introduce({ log }: Pick<Platform, 'log'>, link: CellLink | undefined) {
  if (!link) return
  const judge = async (name: string) => {
    const listed = link.cells.get(name)
    try {
      const { status, body } = await link.ask(name, cellPath)
      if (status === 200) {
        const region: unknown = recordIn(JSON.parse(body))['region']
        return region === listed?.region
          ? undefined
          : `SVC_CELLS lists the cell ${name} in the region ${listed?.region}, but it stands in ${String(region)}: correct the one that is wrong.`
      }
      return `The cell ${name} answered ${status} when it was asked who it is.`
    } catch (error) {
      const { message } = errorOf(error)
      if (error instanceof OtherMasterKeys) return message
      log.warn(
        { cell: name, reason: message },
        'a cell did not introduce itself; requests for it are refused meanwhile',
      )
      return undefined
    }
  }
  const faults = (await Promise.all([...link.cells.keys()].map(judge))).filter((fault) => fault !== undefined)
  if (faults.length > 0) throw new CommandRefused(faults.join('\n'))
}
