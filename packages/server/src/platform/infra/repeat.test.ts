import { describe, expect, it } from 'vitest'
import { repeat } from './repeat.ts'

/** Runs rounds that do as they are told in turn, and closes after the last. Returns what happened. */
async function rounds(told: readonly (boolean | Error)[], everyMs: number) {
  const errors: unknown[] = []
  const beganMs: number[] = []
  const last = Promise.withResolvers<void>()
  const repetition = repeat(
    async () => {
      const next = told[beganMs.push(performance.now()) - 1]
      if (beganMs.length >= told.length) last.resolve()
      if (next instanceof Error) throw next
      return next
    },
    { everyMs, onError: (error) => errors.push(error) },
  )
  await last.promise
  await repetition.close()
  return { errors, pauses: beganMs.slice(1).map((at, index) => at - beganMs[index]!), count: beganMs.length }
}

describe('repeated work', () => {
  it('pauses between rounds, and not where there is more to do', async () => {
    const { pauses } = await rounds([true, false, true, false], 200)
    expect(pauses.map((pause) => pause >= 190)).toEqual([false, true, false])
  })

  it('goes on after a round that failed', async () => {
    const { errors, count } = await rounds([new Error('once'), new Error('twice'), false], 5)
    expect(errors).toEqual([new Error('once'), new Error('twice')])
    expect(count).toBe(3)
  })

  it('closes at once in a pause, and waits for a round in progress, which is told', async () => {
    const resting = repeat(async () => false, { everyMs: 3_600_000, onError: () => undefined })
    await resting.close()

    const begun = Promise.withResolvers<void>()
    let isOver = false
    const working = repeat(
      async (closed) => {
        begun.resolve()
        await new Promise((resolve) => closed.addEventListener('abort', resolve))
        isOver = true
        return true
      },
      { everyMs: 1, onError: () => undefined },
    )
    await begun.promise
    await working.close()
    expect(isOver).toBe(true)
  })
})
