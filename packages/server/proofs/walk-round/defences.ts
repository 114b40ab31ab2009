import type { SourcePlant } from '../storm/planted-source.ts'
import { patient, type Settings, strict } from './settings.ts'

/** A defence that can be switched off, by a setting or by taking its rule out of the source. */
export interface Defence {
  readonly off?: Settings
  readonly plants?: readonly SourcePlant[]
  /** True for one that only a caller meets who asks for more under permits that it has. */
  readonly raises?: true
  /** A seed from which its way round is found soon, for those who have little time. */
  readonly seed?: number
}

const trusting = (trust: Settings['trust']): Settings => ({ ...strict, trust: { ...strict.trust, ...trust } })

/** Defences of an organization against its own callers. Without any one of them the search finds a way round. */
export const defences: Readonly<Record<string, Defence>> = {
  'a reported cost is not believed': { seed: 1, off: trusting({ reported_cost: 'accept' }) },
  'reported usage charges no less than was held': { seed: 1, off: trusting({ reported_usage: 'accept' }) },
  'a reservation that nobody reports is charged': { seed: 3, off: trusting({ edge_expiry: 'release' }) },
  'a lease has a shortest length': { seed: 13, off: { ...patient, trust: { ...patient.trust, min_lease_seconds: 1 } } },
  'reservations are not released by hand': { seed: 37, off: trusting({ release: 'allow' }) },
  'a model without a price is refused': {
    seed: 16,
    off: { ...strict, prices: { ...strict.prices, unpriced: 'estimate' } },
  },
  'the key has a budget': { seed: 11, off: { ...strict, hasKeyBudget: false } },
  'the key is pinned': { seed: 1, off: { ...strict, isPinned: false } },
  'the key may not make keys': {
    seed: 17,
    off: { ...strict, role: 'admin', scopes: [...strict.scopes, 'keys:write', 'keys:read'] },
  },
  'an estimate only raises a hold': {
    seed: 2,
    plants: [
      {
        file: 'decisions/quote.ts',
        rule: "isEstimateDoubted: reportedCost !== 'accept'",
        instead: 'isEstimateDoubted: false',
      },
    ],
  },
  'a raise reserves what it allows': {
    seed: 1,
    raises: true,
    plants: [
      {
        file: 'decisions/raises.ts',
        rule: 'usd: most(quoted.charge.usd, held.amountNano),',
        instead: 'usd: held.amountNano,',
      },
    ],
  },
  'what costs anything holds something': {
    plants: [
      {
        file: 'money/prices/holds.ts',
        rule: 'price && isFree(price) ? expected : largest(expected, minimumOf(book, asked))',
        instead: 'expected',
      },
    ],
  },
  'a model is one however it is spelled': {
    seed: 3,
    plants: [
      {
        file: 'money/prices/price-book.ts',
        rule: 'const found = { model: baseName(model),',
        instead: 'const found = { model,',
      },
    ],
  },
  'a department is one however it is spelled': {
    seed: 6,
    plants: [
      {
        file: 'access/identity/normal-names.ts',
        rule: 'if (form !== given) (changed ??= {})[name] = form',
        instead: 'void form',
      },
    ],
  },
  'what stands behind another model is not free': {
    seed: 10,
    plants: [
      {
        file: 'money/prices/price-book.ts',
        rule: '.filter(({ prefix }) => !prefix.some(isPriced))',
        instead: '',
      },
      {
        file: 'money/prices/price-book.ts',
        rule: "const any = prefix.every(isAddress) ? ofModel.get('') : undefined",
        instead: "const any = ofModel.get('')",
      },
    ],
  },
  'long input is held at its own price': {
    plants: [
      {
        file: 'money/prices/price-entry.ts',
        rule: 'for (const tier of price.tiers ?? []) if (inputTokens > tier.above) rates = tier',
        instead: 'if (inputTokens < 0) rates = price',
      },
    ],
  },
  'urgent calls are held at their own price': {
    seed: 2,
    plants: [
      { file: 'money/prices/service-tiers.ts', rule: 'if (factor === 1_000n)', instead: 'if (factor >= 1_000n)' },
    ],
  },
  'a cheaper tier is held at the standard price': {
    plants: [{ file: 'money/prices/holds.ts', rule: 'price && isCheap(asked.serviceTier)', instead: 'price && false' }],
  },
  'input is held at its dearest price': {
    seed: 109,
    plants: [
      {
        file: 'money/prices/holds.ts',
        rule: 'input * dearestInput(rates, cacheCreation)',
        instead: 'input * rates.inputPico',
      },
    ],
  },
  'stored answers belong to a key': {
    seed: 2,
    plants: [
      {
        file: 'access/idempotency/idempotency.ts',
        rule: '`${principal.lineageId} ${key}`',
        instead: '`everybody ${key}`',
      },
    ],
  },
  'a run belongs to the key that started it': {
    plants: [
      {
        file: 'decisions/lanes/ownership.ts',
        rule: "if (agent.kind === undefined) return 'granted'",
        instead: "return 'granted'",
      },
    ],
  },
  'a rotated key stays the same key': {
    seed: 7,
    plants: [
      {
        file: 'decisions/operations.ts',
        rule: 'const keyId = lineageIn(agent)\n  const runKey',
        instead: "const keyId = agent.kind === 'key' ? agent.id : undefined\n  const runKey",
      },
    ],
  },
}
