import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readGuide, runCommands } from '../support/guide.ts'
import { useServer } from '../support/harness.ts'
import { operatorOf, tenantOf } from '../support/tenants.ts'

/** The guide to showback and bills, followed word by word. */
const server = useServer()

test('its commands compare a bill, prove its digest and export FOCUS', async () => {
  const { blocks, text } = readGuide('finance')
  const { id, key } = await tenantOf(server, (await operatorOf(server)).key)
  const folder = await mkdtemp(join(tmpdir(), 'weir-finance-'))
  try {
    const printed = await runCommands(`cd ${folder}\n${blocks.join('\n')}`, { WEIR: server.url, ORG: id, KEY: key })
    const [billed, first = '', second = '', kept = '', computed = '', focus] = printed.split('\n')
    const shown = /```text\n([\s\S]*?)```/.exec(text)?.[1]?.trim().split('\n') ?? []
    const undated = (line: string) => line.replace(/^\d{4}-\d\d-\d\d /, '')
    expect([billed, undated(first), undated(second)]).toEqual(shown.map(undated))
    expect(computed).toBe(`${kept}  costs.json`)
    expect(focus).toBe('BilledCost,BillingAccountId,BillingAccountName,BillingAccountType')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
