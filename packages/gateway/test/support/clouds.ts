import { afterAll, beforeAll } from 'vitest'
import { type CloudServer, type Judge, startCloud } from './cloud-server.ts'

/** A cloud that runs for the tests of a file. */
export function useCloud(judge: Judge, practiceUrl: () => string, billsToTheEnd: boolean): { server: CloudServer } {
  const cloud = {} as { server: CloudServer }
  beforeAll(async () => {
    cloud.server = await startCloud(judge, practiceUrl, billsToTheEnd)
  })
  afterAll(() => cloud.server.stop())
  return cloud
}
