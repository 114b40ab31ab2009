import { call } from '../../test/support/tenants.ts'
import { countedDepartment, countedModel, keyLimitNano, type Settings } from './settings.ts'
import { isExceeded, nanoOf, type Permit, type Walk, type World } from './walk.ts'

/** Tolerated difference per permit: the provider computes in floating point. */
const slackNano = 100

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0)
const usd = (nano: number) => `$${(nano / 1e9).toFixed(6)}`

/** The part of the bill that no hold could cover: what was used above what was declared, beyond what was held. */
const allowanceOf = (permit: Permit): number =>
  isExceeded(permit) ? Math.max(0, permit.used.nano - permit.heldNano) : 0

/** The bill of permits that has to be on the books. */
const dueOf = (permits: readonly Permit[]) => sum(permits.map((permit) => permit.used.nano - allowanceOf(permit)))

/**
 * Compares the provider's bills with the books when all is over: of each permit, key, workflow, model and department at least what was billed is
 * booked, except one hold's overrun per permit; nobody spends more than the limit of its key; nothing is booked on somebody else.
 */
export async function faultsOf(world: World, { permits, faults }: Walk, settings: Settings): Promise<string[]> {
  const { org, url } = world
  for (const permit of permits.filter(({ by }) => by === 'neighbour'))
    await call(url, 'POST', `/v1/runs/${permit.id}/finish`, {
      key: org.neighbour.secret,
      body: { status: 'succeeded', input_tokens: permit.used.input, output_tokens: permit.used.output },
    })
  if (settings.endsLate) await world.wait(2 * 86_400)
  const by = (who: Permit['by']) => permits.filter((permit) => permit.by === who)
  const budget = async (name: keyof typeof org.budgets) => {
    const { spent_usd, held_usd } = await org.own('GET', `/v1/orgs/${org.id}/budgets/${org.budgets[name]}`)
    return nanoOf(spent_usd) + nanoOf(held_usd)
  }
  const counted = async (name: keyof typeof org.budgets, what: string, of: readonly Permit[]) => {
    const [booked, due] = [await budget(name), dueOf(of)]
    return booked + of.length * slackNano >= due ? [] : [`${what}: ${usd(due)} billed, ${usd(booked)} booked`]
  }
  const ofModel = permits.filter(({ model }) => model === countedModel)
  const ofDepartment = permits.filter(({ department }) => department === countedDepartment)
  return [
    ...faults,
    ...(await Promise.all(permits.map((permit) => faultsOfPermit(world, permit)))).flat(),
    ...(await counted('caller', 'the key', by('caller'))),
    ...(await counted('neighbour', 'the key of the neighbour', by('neighbour'))),
    ...(await counted('workflow', 'the workflow of the key', by('caller'))),
    ...(await counted('model', `the model ${countedModel}`, ofModel)),
    ...(await counted('department', `the department ${countedDepartment}`, ofDepartment)),
    ...faultsOfLimit(by('caller')),
    ...(await faultsOfNeighbour(by('neighbour'), await budget('neighbour'))),
    ...(await faultsOfUsage(world, by('caller'), settings)),
  ]
}

async function faultsOfPermit({ org }: World, permit: Permit): Promise<string[]> {
  const { id, isRun, used } = permit
  const read = await org.own('GET', isRun ? `/v1/runs/${id}` : `/v1/edge/reservations/${id}`)
  const isOpen = read['status'] === 'running' || read['status'] === 'open'
  const charged = (isRun ? read['cost_usd'] : read['charged_usd']) ?? '0'
  const booked = isOpen ? permit.heldNano : nanoOf(charged)
  const due = used.nano - allowanceOf(permit)
  if (booked + slackNano >= due) return []
  const bill = `${usd(used.nano)} billed, ${usd(permit.heldNano)} held, ${usd(booked)} booked`
  return [`${permit.by}, ${isRun ? 'run' : 'reservation'}, ${String(read['status'])}: ${bill}`]
}

function faultsOfLimit(permits: readonly Permit[]): string[] {
  const due = dueOf(permits)
  return due <= keyLimitNano + permits.length * slackNano
    ? []
    : [`${usd(due)} was billed under a limit of ${usd(keyLimitNano)}`]
}

/** What an honest agent is charged depends on nobody else. */
async function faultsOfNeighbour(permits: readonly Permit[], booked: number): Promise<string[]> {
  const billed = sum(permits.map(({ used }) => used.nano))
  return booked <= billed + permits.length * slackNano
    ? []
    : [`the neighbour was billed ${usd(billed)} and charged ${usd(booked)}`]
}

/** Every dollar of usage has a key, and all of the caller's ended runs are under its own. */
async function faultsOfUsage({ org }: World, permits: readonly Permit[], settings: Settings): Promise<string[]> {
  const { data } = await org.own('GET', `/v1/orgs/${org.id}/usage?granularity=month&group_by=key_id`)
  const rows = data as { key_id: string | null; cost_usd: string }[]
  const costOf = (keep: (key: string | null) => boolean) =>
    sum(rows.filter(({ key_id }) => keep(key_id)).map(({ cost_usd }) => nanoOf(cost_usd)))
  const nobodys = costOf((key) => key === null)
  const known = new Set<string | null>([org.caller.id, org.neighbour.id])
  const strangers = costOf((key) => key !== null && !known.has(key))
  const own = costOf((key) => key === org.caller.id) + strangers
  const due = dueOf(permits)
  return [
    ...(nobodys > 0 ? [`${usd(nobodys)} of usage is nobody's`] : []),
    ...(settings.endsLate && own + permits.length * slackNano < due
      ? [`usage of the key: ${usd(due)} billed, ${usd(own)} recorded`]
      : []),
  ]
}
