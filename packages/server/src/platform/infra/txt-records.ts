import { Resolver } from 'node:dns/promises'
import { errorCode } from '../../values/thrown.ts'

/** Returns the TXT records of a name, each as one text; undefined when nobody could be asked. */
export type FindTxtRecords = (name: string) => Promise<readonly string[] | undefined>

const timeoutMs = 2_000
const tries = 2
/** Codes that say that there is no such record, not that nobody knows. */
const absent = new Set(['ENOTFOUND', 'ENODATA'])

/** Creates a lookup of TXT records by these name servers, or by the system's. */
export function createTxtLookup(nameServers: readonly string[] | undefined): FindTxtRecords {
  const resolver = new Resolver({ timeout: timeoutMs, tries, maxTimeout: timeoutMs })
  if (nameServers !== undefined) resolver.setServers(nameServers)
  return async (name) => {
    try {
      // A record is sent in pieces of at most 255 bytes.
      return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''))
    } catch (error) {
      return absent.has(errorCode(error) ?? '') ? [] : undefined
    }
  }
}
