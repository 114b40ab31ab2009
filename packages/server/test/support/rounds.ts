import type { startInstallation } from './installation.ts'
import { type RunningRole, suspend } from './processes.ts'
import { call } from './tenants.ts'

/**
 * Rounds of a test that repeats itself on several processes. A multiple of 12: three ways on four processes come in every combination.
 * `WEIR_ROUNDS=200 pnpm test revocation` plays more than the gate does.
 */
export const rounds = Number(process.env['WEIR_ROUNDS'] ?? 24)

/** A round that was played: what was tried in it, what was seen, and what should have been. */
export interface PlayedRound {
  readonly name: string
  readonly seen: readonly unknown[]
  readonly wanted: readonly unknown[]
}

/** Plays the rounds one after another while every process is kept busy; returns those in which something else was seen than wanted. */
export async function wrongRounds(
  { apis, owner }: Pick<Awaited<ReturnType<typeof startInstallation>>, 'apis' | 'owner'>,
  play: (round: number) => Promise<PlayedRound>,
): Promise<string[]> {
  const load = new AbortController()
  const busy = apis.map(async ({ url }) => {
    while (!load.signal.aborted) await call(url, 'GET', '/v1/me', { key: owner })
  })
  const wrong: string[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      const { name, seen, wanted } = await play(round)
      if (seen.join(' ') !== wanted.join(' ')) wrong.push(`${round}, ${name}: ${seen.join(' ')}`)
    }
  } finally {
    load.abort()
    await Promise.all(busy)
  }
  return wrong
}

/** Does something while a process sleeps, and wakes it. */
export async function whileAsleep(sleeper: Pick<RunningRole, 'process'>, work: () => Promise<void>) {
  await suspend(sleeper.process)
  try {
    await work()
  } finally {
    sleeper.process.kill('SIGCONT')
  }
}
