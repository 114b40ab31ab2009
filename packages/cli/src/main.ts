#!/usr/bin/env node
import { endWithReader } from './output/terminal.ts'
import { run } from './run.ts'

endWithReader(process.stdout)
endWithReader(process.stderr)
await run(process.argv.slice(2), process)
