import { eventually } from '../../../test/support/programs.ts'
import { callModel } from '../activities.ts'
import type { Drill } from '../drill.ts'
import type { Installation } from '../installation.ts'

/** Takes Weir away from a gateway in the middle of a call. */
async function loseWeir(installation: Installation, firstMs: number) {
  const { providerUrl, parts } = installation
  const callsSoFar = async () =>
    ((await (await fetch(`${providerUrl}/books`)).json()) as { entries: unknown[] }).entries.length
  const before = await callsSoFar()
  void callModel(installation, { firstMs }).catch(() => undefined)
  // The call is on its way: it was held, and will have to be settled.
  await eventually(async () => (await callsSoFar()) > before)
  await parts.api.kill()
}

export const gateway: readonly Drill[] = [
  {
    name: 'a call uses more than it may',
    alerts: ['WeirGatewayBoundViolated'],
    cause: (installation) => callModel(installation, { input: 1_000_000 }),
  },
  {
    name: 'a gateway has no Weir',
    alerts: ['WeirGatewaySettlementsWaiting'],
    cause: (installation) => loseWeir(installation, 2_000),
    cure: ({ parts }) => parts.api.start(),
  },
  {
    name: 'a provider does not say what was used',
    alerts: ['WeirGatewayUsageMissing'],
    cause: (installation) => callModel(installation, { hidesUsage: true }),
  },
  {
    name: 'the configuration of a gateway is faulty',
    alerts: ['WeirGatewayConfigRejected'],
    cause({ parts, configure }) {
      configure('{')
      parts.gateway.signal('SIGHUP')
    },
    cure({ parts, configure }) {
      configure()
      parts.gateway.signal('SIGHUP')
    },
  },
  {
    name: 'a gateway cannot extend the lease of a call',
    alerts: ['WeirGatewayLeasesLost'],
    cause: (installation) => loseWeir(installation, 8_000),
    cure: ({ parts }) => parts.api.start(),
  },
]
