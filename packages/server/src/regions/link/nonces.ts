import type { Platform } from '../../platform/infra/platform.ts'
import { defineScript } from '../../platform/infra/redis.ts'
import { Lru } from '../../values/lru.ts'

const maxRemembered = 100_000
const script = defineScript("return redis.call('SET', KEYS[1], '', 'NX', 'PX', ARGV[1]) and 1 or 0")

/** Nonces that were used within the time in which a signature is accepted. */
export interface Nonces {
  /** Uses a nonce up; false when somebody has used it before. */
  readonly use: (nonce: string) => Promise<boolean>
}

/**
 * Creates the memory of nonces: in Redis for all processes, and in this process. Only what was signed is remembered, so a stranger
 * cannot fill it. While Redis is away this process remembers alone: whoever could send a copy to another process has read it on the
 * wire between the cells, and with it the key of the caller.
 */
export function createNonces({ redis, log }: Pick<Platform, 'redis' | 'log'>, rememberMs: number): Nonces {
  const used = new Lru<string, true>(maxRemembered)
  let isAnswering = true
  return {
    use: async (nonce) => {
      if (used.has(nonce)) return false
      used.set(nonce, true)
      try {
        const isNew = await redis.run(script, nonce, [`weir:link:{${nonce}}`], [String(rememberMs)])
        isAnswering = true
        return isNew === 1
      } catch (error) {
        // Logged once per outage.
        if (isAnswering) log.warn({ error }, 'redis did not say whether a signature between cells was used before')
        isAnswering = false
        return true
      }
    },
  }
}
