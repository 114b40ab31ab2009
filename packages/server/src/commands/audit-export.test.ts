import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { linesOf } from './audit-export.ts'

const folder = mkdtempSync(join(tmpdir(), 'weir-lines-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the lines of a file', () => {
  it('are all there for a reader that begins late and pauses', async () => {
    const path = join(folder, 'heads.log')
    const written = Array.from({ length: 3000 }, (_, index) => `line ${index} ${'.'.repeat(100)}`)
    writeFileSync(path, written.join('\r\n'))
    const lines = linesOf(path)
    await delay(50)
    const read: string[] = []
    for await (const line of lines) {
      if (read.length % 1000 === 0) await delay(10)
      read.push(line)
    }
    expect(read).toEqual(written)
  })

  it('end with an error where there is no file', async () => {
    await expect(linesOf(join(folder, 'none.log')).next()).rejects.toThrow('ENOENT')
  })
})
