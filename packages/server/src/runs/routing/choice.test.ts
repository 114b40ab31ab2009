import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../contract/errors.ts'
import { formatId } from '../../values/id.ts'
import { type ChoiceInput, cheaperThan, chooseModel, type Eligible, type ModelRefusal } from './choice.ts'
import { type EvalScore, modelKey, type RoutableModel, type RouteDefinition, strategies } from './route.ts'
import { stickyTicket } from './weighted-draw.ts'

const nowMs = Date.parse('2026-11-15T12:00:00Z')
const routeId = '0192f3a5-ac96-774b-bcce-b302099a8057'

const refusal = (code: 'policy_blocked' | 'policy_approval_required', attempted: string): ModelRefusal =>
  new ApiError(code, { reason: 'Not this one.', attempted, rule_id: formatId('rule', routeId) })

/** Everything that a choice can depend on, from few values, so that equals and edges are common. */
interface World {
  readonly models: readonly RoutableModel[]
  readonly evals: ReadonlyMap<string, EvalScore>
  readonly quotes: ReadonlyMap<string, bigint | null>
  readonly refused: ReadonlyMap<string, ModelRefusal>
  readonly route: RouteDefinition
  readonly residency: string | null
  readonly request: ChoiceInput['request']
  readonly ticket: number
  readonly mostRunnersUp: number
}

const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null })
/** Most often as it lets models pass: where everything binds at once nobody would. */
const rarely = <T>(often: T, of: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(often) }, { weight: 1, arbitrary: of })
const regions = fc.constantFrom('eu', 'eu', 'us', 'ap')
const abilities = fc.uniqueArray(fc.constantFrom('tools', 'vision', 'json'))
const score = fc.oneof(fc.constantFrom(0, 0.5, 0.9, 0.90000001, 1, -1), fc.double({ noNaN: true, min: -2, max: 2 }))

const world: fc.Arbitrary<World> = fc
  .uniqueArray(
    fc.record({
      model: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      provider: orNull(fc.constantFrom('p', 'q')),
    }),
    { selector: modelKey, maxLength: 8 },
  )
  .chain((names) =>
    fc.record({
      models: fc.tuple(
        ...names.map((name) =>
          fc
            .record({
              region: orNull(regions),
              capabilities: abilities,
              contextTokens: rarely<number | null>(1_000, orNull(fc.constantFrom(10, 100))),
              latencyMs: orNull(fc.constantFrom(50, 100, 200)),
              enabled: rarely(true, fc.boolean()),
            })
            .map((rest): RoutableModel => ({ ...name, ...rest })),
        ),
      ),
      evals: fc
        .tuple(
          ...names.map((name) =>
            orNull(
              fc
                .record({
                  score,
                  samples: rarely(11, fc.constantFrom(1, 9, 10)),
                  latencyMs: orNull(fc.constantFrom(50, 150)),
                  ageMs: rarely(0, fc.constantFrom(-60_000, 59_999, 60_000, 60_001, 10_000_000)),
                })
                .map(
                  ({ ageMs, ...rest }): EvalScore => ({
                    id: modelKey(name),
                    suite: 's',
                    ...name,
                    ...rest,
                    measuredAtMs: nowMs - ageMs,
                  }),
                ),
            ),
          ),
        )
        .map((found) => new Map(found.flatMap((each) => (each ? [[modelKey(each), each]] : [])))),
      quotes: fc
        .tuple(
          ...names.map(() => rarely<bigint | null>(5n, fc.constantFrom(0n, 4n, 7n, 2_000_000n * 1_000_000_000n, null))),
        )
        .map((all) => new Map(names.map((name, i) => [modelKey(name), all[i]!]))),
      refused: fc
        .tuple(
          ...names.map(() =>
            rarely<null | 'policy_blocked' | 'policy_approval_required'>(
              null,
              fc.constantFrom('policy_blocked', 'policy_approval_required'),
            ),
          ),
        )
        .map(
          (all) => new Map(names.flatMap((name, i) => (all[i] ? [[modelKey(name), refusal(all[i], name.model)]] : []))),
        ),
      route: fc
        .record({
          strategy: fc.constantFrom(...strategies),
          bar: orNull(
            fc.record({
              suite: fc.constant('s'),
              minScore: fc.constantFrom(-2, 0, 0.5, 0.9),
              minSamples: fc.constantFrom(1, 10),
              maxAgeSeconds: fc.constantFrom(60, 3_600),
            }),
          ),
          constraints: fc.record({
            capabilities: rarely<string[]>([], abilities),
            regions: rarely<string[]>([], fc.uniqueArray(regions)),
            maxPriceNano: rarely<bigint | null>(null, fc.constantFrom(0n, 5n, 6n)),
            maxLatencyMs: rarely<number | null>(null, fc.constantFrom(50, 120)),
            minContextTokens: rarely<number | null>(null, fc.constantFrom(10, 100)),
          }),
          weights: fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 9, maxLength: 9 }),
          named: fc.subarray(names),
          isNamed: fc.boolean(),
          withStranger: fc.boolean(),
        })
        .map(({ weights, named, isNamed, withStranger, strategy, bar, constraints }): RouteDefinition => {
          const all = [...named, ...(withStranger ? [{ model: 'gone', provider: null }] : [])]
          const isWeighted = strategy === 'weighted'
          const candidates = all.map((name, i) => ({ ...name, weight: isWeighted ? weights[i]! : null }))
          return {
            id: routeId,
            name: 'r',
            strategy,
            bar,
            constraints,
            candidates: isNamed || isWeighted ? candidates : null,
          }
        }),
      residency: rarely<string | null>(null, fc.constant('eu')),
      request: fc.record({
        inputTokens: fc.option(fc.constantFrom(5, 100), { nil: undefined }),
        maxOutputTokens: rarely<number | undefined>(undefined, fc.constantFrom(5, 6, 500)),
      }),
      ticket: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      mostRunnersUp: fc.constantFrom(0, 1, 20),
    }),
  )

const askedIn = (of: World): ChoiceInput => ({
  ...of,
  latestEval: (model) => of.evals.get(modelKey(model)),
  quote: (model) => of.quotes.get(modelKey(model))!,
  policy: (model) => of.refused.get(modelKey(model)) ?? null,
  nowMs,
})

/** The rules once more, as plainly as they can be said: whether a model may be chosen, before anybody asks the organization's rules. */
function mayBe(of: World, model: RoutableModel): boolean {
  const { bar, constraints, candidates } = of.route
  const latest = of.evals.get(modelKey(model))
  const quoted = of.quotes.get(modelKey(model)) ?? null
  const latency = bar && latest?.latencyMs ? latest.latencyMs : model.latencyMs
  const tokens = (of.request.inputTokens ?? 0) + (of.request.maxOutputTokens ?? 0)
  return [
    candidates === null || candidates.some((each) => each.model === model.model && each.provider === model.provider),
    model.enabled,
    bar === null || (latest !== undefined && latest.score >= bar.minScore),
    bar === null || (latest !== undefined && latest.samples >= bar.minSamples),
    bar === null || (latest !== undefined && latest.measuredAtMs + bar.maxAgeSeconds * 1_000 >= nowMs),
    of.residency === null || model.region === of.residency,
    constraints.regions.length === 0 || constraints.regions.some((region) => region === model.region),
    constraints.capabilities.every((name) => model.capabilities.includes(name)),
    constraints.maxLatencyMs === null || (latency !== null && latency <= constraints.maxLatencyMs),
    constraints.minContextTokens === null || (model.contextTokens ?? 0) >= constraints.minContextTokens,
    model.contextTokens === null || model.contextTokens >= tokens,
    quoted !== null,
    quoted === null || constraints.maxPriceNano === null || quoted <= constraints.maxPriceNano,
    quoted === null || quoted <= 1_000_000n * 1_000_000_000n,
  ].every(Boolean)
}

const passes = (of: World, model: RoutableModel) => mayBe(of, model) && !of.refused.has(modelKey(model))
const keys = (all: readonly { model: { model: string; provider: string | null } }[]) =>
  all.map(({ model }) => modelKey(model))

const property = (check: (of: World) => void) => fc.assert(fc.property(world, check), { numRuns: 1_500 })

describe('whatever the models, results, prices, rules and route', () => {
  test('a model below the bar, too old or with too few samples is never chosen, nor any other that does not pass', () => {
    let chosen = 0
    property((of) => {
      const choice = chooseModel(askedIn(of))
      const passing = [...(choice.chosen ? [choice.chosen] : []), ...choice.runnersUp]
      chosen += passing.length
      expect(passing.filter(({ model }) => !passes(of, model))).toEqual([])
      expect(choice.unasked.filter(({ model }) => !mayBe(of, model))).toEqual([])
    })
    // A generator that lets nobody pass would prove nothing.
    expect(chosen).toBeGreaterThan(500)
  })

  test('no model passes the gate by being free, preferred or drawn: it alone decides', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...strategies),
        fc.constantFrom<Partial<EvalScore>>({ score: 0.89 }, { samples: 9 }, { measuredAtMs: nowMs - 60_001 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 1, max: 1_000_000 }),
        (strategy, fault, ticket, weight) => {
          const candidates = [
            { model: 'bad', provider: null, weight },
            { model: 'good', provider: null, weight: 1 },
          ]
          const models = candidates.map((name) => ({ ...plain, ...name, latencyMs: name.model === 'bad' ? 1 : 9_999 }))
          const good = {
            id: 'e',
            suite: 's',
            provider: null,
            score: 0.9,
            samples: 10,
            latencyMs: null,
            measuredAtMs: nowMs - 60_000,
          }
          const asked: ChoiceInput = {
            ...plainAsked,
            route: { ...plainRoute, strategy, bar, candidates },
            models,
            latestEval: ({ model }) => ({ ...good, model, ...(model === 'bad' && { score: 99, ...fault }) }),
            quote: ({ model }) => (model === 'bad' ? 0n : 1_000_000n),
            ticket,
          }
          const { chosen, excluded } = chooseModel(asked)
          expect(chosen?.model.model).toBe('good')
          expect(keys(excluded)).toEqual([modelKey({ model: 'bad', provider: null })])
          expect(chooseModel({ ...asked, models: [models[0]!] })).toMatchObject({ chosen: null, cause: 'none_passes' })
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test('every candidate is told of exactly once, and none that passes is left out', () => {
    property((of) => {
      const { chosen, runnersUp, unasked, excluded } = chooseModel(askedIn(of))
      const told = [...(chosen ? [chosen] : []), ...runnersUp, ...unasked, ...excluded]
      const candidates = of.route.candidates ?? of.models
      expect(keys(told).sort()).toEqual(candidates.map(({ model, provider }) => modelKey({ model, provider })).sort())
      expect(excluded.filter(({ reasons }) => reasons.length === 0)).toEqual([])
      const out = new Set(keys(excluded))
      expect(of.models.filter((model) => passes(of, model) && out.has(modelKey(model)))).toEqual([])
    })
  })

  test('it is the cheapest, the fastest or the best of all that pass', () => {
    property((of) => {
      const { chosen } = chooseModel(askedIn(of))
      const passing = of.models.filter((model) => passes(of, model))
      expect(chosen === null).toBe(passing.length === 0)
      if (!chosen) return
      const { bar, strategy } = of.route
      const latency = (model: RoutableModel) =>
        (bar ? of.evals.get(modelKey(model))?.latencyMs : null) ?? model.latencyMs ?? Infinity
      const scoreOf = (model: RoutableModel) => (bar ? of.evals.get(modelKey(model))!.score : 0)
      const isBefore = (other: RoutableModel) =>
        (strategy === 'cheapest' && of.quotes.get(modelKey(other))! < chosen.quotedNano) ||
        (strategy === 'fastest' && latency(other) < latency(chosen.model)) ||
        (strategy === 'best' && scoreOf(other) > scoreOf(chosen.model))
      expect(passing.filter(isBefore)).toEqual([])
    })
  })

  test('where none is chosen the cause is told: nobody passes, or what could be approved first, or what the rules say of the first', () => {
    property((of) => {
      const asked = askedIn(of)
      const { chosen, cause } = chooseModel(asked)
      const refusalOf = (model: RoutableModel) =>
        of.refused.get(modelKey(model)) ?? refusal('policy_blocked', model.model)
      const refusals = new Map(of.models.map((model) => [model, refusalOf(model)]))
      const free = chooseModel({ ...asked, policy: () => null, mostRunnersUp: 100 })
      const inOrder = [...(free.chosen ? [free.chosen] : []), ...free.runnersUp].map(({ model }) => model)
      const causeAmong = (told: (model: RoutableModel) => ModelRefusal | undefined) => {
        const all = inOrder.map(told)
        return all.find((each) => each?.code === 'policy_approval_required') ?? all[0] ?? 'none_passes'
      }
      expect(cause).toBe(chosen ? null : causeAmong((model) => of.refused.get(modelKey(model))))
      const blocked = chooseModel({ ...asked, policy: (model) => refusals.get(model)! })
      expect(blocked.chosen).toBeNull()
      expect(blocked.cause).toBe(causeAmong((model) => refusals.get(model)))
    })
  })

  test('the order in which models and candidates are listed does not matter', () => {
    property((of) => {
      const asked = askedIn(of)
      const { candidates } = of.route
      const route = { ...of.route, candidates: candidates && candidates.toReversed() }
      const mirrored = chooseModel({ ...asked, models: of.models.toReversed(), route })
      const choice = chooseModel(asked)
      expect(mirrored.chosen).toEqual(choice.chosen)
      expect(mirrored.runnersUp).toEqual(choice.runnersUp)
    })
  })

  test('prices are asked only of models that pass the rest, and rules only of those that have one', () => {
    property((of) => {
      const asked = askedIn(of)
      const quoted = new Set<string>()
      const judged = new Set<string>()
      chooseModel({
        ...asked,
        quote: (model) => {
          quoted.add(modelKey(model))
          return asked.quote(model)
        },
        policy: (model, quotedNano) => {
          judged.add(modelKey(model))
          expect(quotedNano).toBe(of.quotes.get(modelKey(model)))
          return asked.policy(model, quotedNano)
        },
      })
      const free = { ...of, quotes: new Map(of.models.map((model) => [modelKey(model), 0n])) }
      expect(of.models.filter((model) => quoted.has(modelKey(model)) !== mayBe(free, model))).toEqual([])
      expect(of.models.filter((model) => judged.has(modelKey(model)) && !mayBe(of, model))).toEqual([])
    })
  })

  test('what is cheaper passes too, costs less, and comes the most expensive first', () => {
    property((of) => {
      const asked = askedIn(of)
      const choice = chooseModel(asked)
      const cheaper = cheaperThan(choice, asked, 3)
      const all = of.models.filter(
        (model) => choice.chosen && passes(of, model) && of.quotes.get(modelKey(model))! < choice.chosen.quotedNano,
      )
      expect(cheaper.length).toBe(Math.min(all.length, 3))
      expect(new Set(keys(cheaper)).size).toBe(cheaper.length)
      const known = new Set(all.map(modelKey))
      expect(cheaper.filter(({ model }) => !known.has(modelKey(model)))).toEqual([])
      const quotes = cheaper.map(({ quotedNano }) => quotedNano)
      expect(quotes).toEqual(quotes.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)))
    })
  })
})

const plain: Omit<RoutableModel, 'model' | 'provider'> = {
  region: null,
  capabilities: [],
  contextTokens: null,
  latencyMs: null,
  enabled: true,
}
const bar = { suite: 's', minScore: 0.9, minSamples: 10, maxAgeSeconds: 60 }
const plainRoute: RouteDefinition = {
  id: routeId,
  name: 'r',
  strategy: 'cheapest',
  bar: null,
  constraints: { capabilities: [], regions: [], maxPriceNano: null, maxLatencyMs: null, minContextTokens: null },
  candidates: null,
}
const plainAsked: Omit<ChoiceInput, 'models'> = {
  route: plainRoute,
  latestEval: () => undefined,
  quote: () => 1n,
  policy: () => null,
  residency: null,
  request: {},
  nowMs,
  ticket: 0.5,
  mostRunnersUp: 10,
}
const named = (...names: string[]): RoutableModel[] => names.map((model) => ({ ...plain, model, provider: null }))

test('a rule that fails ends the choice: it says neither yes nor no', () => {
  const failing = new ApiError('policy_expression_error', { rule_id: 'rul_x' })
  const asked = { ...plainAsked, models: named('a', 'b'), policy: () => failing }
  expect(() => chooseModel(asked)).toThrow(failing)
})

test('a score that is no number passes no bar', () => {
  const models = named('a')
  const latestEval = () => ({
    id: 'e',
    suite: 's',
    model: 'a',
    provider: null,
    score: NaN,
    samples: 99,
    latencyMs: null,
    measuredAtMs: nowMs,
  })
  expect(chooseModel({ ...plainAsked, models, route: { ...plainRoute, bar }, latestEval }).chosen).toBeNull()
})

describe('a weighted route', () => {
  const weights = { a: 70, b: 25, c: 5 }
  const candidates = Object.entries(weights).map(([model, weight]) => ({ model, provider: null, weight }))
  const asked = {
    ...plainAsked,
    models: named('a', 'b', 'c'),
    route: { ...plainRoute, strategy: 'weighted' as const, candidates },
  }
  const drawn = (ticket: number, more: Partial<ChoiceInput> = {}) =>
    chooseModel({ ...asked, ticket, ...more }).chosen!.model.model
  const tickets = Array.from({ length: 20_000 }, (_, i) => i / 20_000)
  const shares = (of: (ticket: number) => string) => {
    const counts: Record<string, number> = {}
    for (const ticket of tickets) counts[of(ticket)] = (counts[of(ticket)] ?? 0) + 1
    return counts
  }
  /** Five standard deviations: these tickets are always the same, so it holds always or never. */
  const isNear = (count: number, share: number) =>
    Math.abs(count - share * tickets.length) < 5 * Math.sqrt(tickets.length * share * (1 - share))

  test('draws each model in proportion to its weight', () => {
    const counts = shares((ticket) => drawn(ticket))
    for (const [model, weight] of Object.entries(weights))
      expect(isNear(counts[model]!, weight / 100), model).toBe(true)
  })

  test('shares what a model that is out would have had by the weights of the others', () => {
    const blocked = refusal('policy_blocked', 'a')
    const outs: Partial<ChoiceInput>[] = [
      { models: named('b', 'c') },
      { policy: ({ model }) => (model === 'a' ? blocked : null) },
    ]
    for (const out of outs) {
      const counts = shares((ticket) => drawn(ticket, out))
      expect(counts['a']).toBeUndefined()
      expect(isNear(counts['b']!, 25 / 30) && isNear(counts['c']!, 5 / 30)).toBe(true)
    }
  })

  test('moves nobody whose model still passes when another one goes out', () => {
    const staying = tickets.slice(0, 5_000).filter((ticket) => drawn(ticket) !== 'c')
    expect(staying.length).toBeGreaterThan(4_000)
    expect(staying.filter((ticket) => drawn(ticket, { models: named('a', 'b') }) !== drawn(ticket))).toEqual([])
  })

  test('gives the same model to the same sticky value, and spreads different ones by weight', () => {
    const counts = shares((ticket) => drawn(stickyTicket(routeId, `user-${ticket}`)))
    for (const [model, weight] of Object.entries(weights))
      expect(isNear(counts[model]!, weight / 100), model).toBe(true)
    expect(stickyTicket(routeId, 'u')).toBe(stickyTicket(routeId, 'u'))
    expect(stickyTicket(routeId, 'u')).not.toBe(stickyTicket(routeId, 'v'))
  })
})

test('equals are told apart in the same way every time: by price, score, speed, then name', () => {
  const models: RoutableModel[] = [
    { ...plain, model: 'z', provider: null },
    { ...plain, model: 'a', provider: 'q' },
    { ...plain, model: 'a', provider: null },
    { ...plain, model: 'fast', provider: null, latencyMs: 1 },
  ]
  const { chosen, runnersUp } = chooseModel({ ...plainAsked, models })
  expect([chosen!, ...runnersUp].map(({ model }: Eligible) => modelKey(model))).toEqual(
    [
      ['fast', null],
      ['a', null],
      ['a', 'q'],
      ['z', null],
    ].map((name) => JSON.stringify(name)),
  )
})
