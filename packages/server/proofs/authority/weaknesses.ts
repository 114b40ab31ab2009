import { powersOf, specifyKey, specifySuccessor } from '../../src/tenants/keys/key-spec.ts'
import { programRules, type Rules } from './model.ts'

/** Rules broken on purpose, to show that breaking them is noticed. */
export const weaknesses: Readonly<Record<string, Rules>> = {
  'rotation does not look at scopes': {
    ...programRules,
    rotate: (caller, found, now) => specifySuccessor({ ...caller, scopes: powersOf(found).scopes }, found, now),
  },
  'rotation does not look at roles': {
    ...programRules,
    rotate: (caller, found, now) => specifySuccessor({ ...caller, role: powersOf(found).role }, found, now),
  },
  'rotation forgets the pins of the caller': {
    ...programRules,
    rotate: (caller, found, now) => specifySuccessor({ ...caller, pins: {} }, found, now),
  },
  'an old key rotates its successor, because both are of one lineage': {
    ...programRules,
    rotate: (caller, found, now) =>
      specifySuccessor(caller.lineageId === found.lineage_id ? { ...caller, ...powersOf(found) } : caller, found, now),
  },
  'a successor does not end': {
    ...programRules,
    rotate: (caller, found, now) => ({ ...specifySuccessor(caller, found, now), expiresAt: null }),
  },
  'nobody writes down who rotated': {
    ...programRules,
    rotate: (caller, found, now) => {
      const { mintedBy: _forgotten, ...wanted } = specifySuccessor(caller, found, now)
      return wanted
    },
  },
  'pins of a new key override those of its maker': {
    ...programRules,
    mint: (caller, input, now) => ({
      ...specifyKey({ ...caller, pins: {} }, input, now),
      pins: { ...caller.pins, ...input.pins },
    }),
  },
  'the lifetime of a new key is what it asks for': {
    ...programRules,
    mint: (caller, input, now) => specifyKey({ ...caller, expiresAtMs: Number.POSITIVE_INFINITY }, input, now),
  },
  'the role of a new key is what it asks for': {
    ...programRules,
    mint: (caller, input, now) => specifyKey({ ...caller, role: 'owner' }, input, now),
  },
  'idempotency keys are the whole organization’s': {
    ...programRules,
    claim: (caller, key, act) => programRules.claim({ ...caller, lineageId: 'everybody' }, key, act),
  },
  'anybody ends any key': { ...programRules, revoke: () => undefined },
}
