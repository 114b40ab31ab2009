import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const listed = 25

/** A Vitest reporter that lists the files which took longest, with their imports and hooks, in the file that `WEIR_SLOW_FILES` names. */
export default class SlowFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    const path = process.env['WEIR_SLOW_FILES']
    if (path === undefined) return
    const files = modules.map((module) => {
      const { collectDuration, duration } = module.diagnostic()
      return { name: relative(process.cwd(), module.moduleId), seconds: (collectDuration + duration) / 1_000 }
    })
    for (const { name, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, listed))
      appendFileSync(path, `${seconds.toFixed().padStart(5)} s  ${name}\n`)
  }
}
