import { registerHooks } from 'node:module'

/**
 * Loaded into a program with `--import`, breaks one promise on purpose: answers under a support grant leave first and are
 * put on record half a second later.
 */
const sound = 'const records = batch.map(({ entry }) => entry)'
const broken = `${sound}
      for (const { settle } of batch) settle(true)
      await new Promise((resolve) => setTimeout(resolve, 500))`

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (!url.endsWith('/src/access/audit/recorders.ts')) return loaded
    const source = Buffer.from(loaded.source as Uint8Array).toString()
    if (!source.includes(sound)) throw new Error('there is nothing to break any more')
    return { ...loaded, source: source.replace(sound, broken) }
  },
})
