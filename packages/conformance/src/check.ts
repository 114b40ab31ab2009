import type { World } from './world.ts'

/** Ends well where the clause holds, and throws a `Deviation` where it does not. */
export type Check = (world: World) => Promise<unknown>
