import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { beginProof } from '../../../../scripts/proof/record.ts'
import type { ProofOptions } from '../support/proof.ts'
import type { Hunt } from './bounds.ts'

/** `pnpm prove bounds`: 1,000,000 generated requests, none of which a provider may bill above its hard bound. */
export async function proveBounds({ smoke, seed, record, count = smoke ? 4_000 : 1_000_000 }: ProofOptions) {
  const finish = beginProof('bounds', record)
  const began = performance.now()
  const step = availableParallelism()
  const parts: Hunt[] = []
  let said = began
  const threads = Array.from({ length: step }, async (_, i) => {
    const workerData = { first: seed + i * 1_000, count: seed + count, step }
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData })
    worker.on('message', (part: Hunt) => {
      parts.push(part)
      if (performance.now() - said < 30_000) return
      said = performance.now()
      console.log(`  ${total(parts, ({ hard }) => hard).toLocaleString('en')} held so far`)
    })
    await once(worker, 'exit')
  })
  await Promise.all(threads)
  const overruns = parts.flatMap((part) => part.overruns)
  const [hard, refused] = [total(parts, (part) => part.hard), total(parts, (part) => part.refused + part.soft)]
  for (const { seed: at, dialect, why, text } of overruns.slice(0, 10))
    console.error(`seed ${at}, ${dialect}: ${why}\n  ${text.slice(0, 300)}`)
  const seconds = (performance.now() - began) / 1_000
  console.log(
    `bounds: ${overruns.length} overruns of ${hard.toLocaleString('en')} hard holds (${refused.toLocaleString('en')} more refused), ` +
      `seeds from ${seed}, ${seconds.toFixed(0)} s on ${step} threads`,
  )
  finish({
    tried: hard,
    of: 'requests with a hard bound',
    broken: overruns.length,
    figures: { seed, 'refused before a hold': refused },
  })
  if (overruns.length > 0 || hard < count / 2) process.exitCode = 1
}

const total = (parts: readonly Hunt[], of: (part: Hunt) => number) => parts.reduce((sum, part) => sum + of(part), 0)
