import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCheckout, root } from './checkout.ts'

/** A copy of this program with a migration more, as its next release would have. */
export function makeNextRelease(migration: string, statements: string) {
  const checkout = makeCheckout()
  for (const folder of ['', 'packages/server', 'packages/gateway'])
    symlinkSync(join(root, folder, 'node_modules'), join(checkout, folder, 'node_modules'))
  writeFileSync(join(checkout, 'packages/server/migrations', `${migration}.sql`), statements)
  return { checkout, program: join(checkout, 'packages/server/src/main.ts') }
}
