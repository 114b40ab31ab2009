import { existsSync, readFileSync } from 'node:fs'
import { type Machine, type ProofRecord, recordsFolder } from '../../../scripts/proof/record.ts'
import type { Measured, Results, Side } from '../../../scripts/proof/situations.ts'
import { failoverPicture, latencyPicture } from './proof-pictures.ts'

/** `docs/proof.md`, written from what was recorded in `docs/proof` and from nothing else. */

interface Performance extends Results, Pick<ProofRecord, 'command' | 'at' | 'seconds' | 'commit' | 'machine'> {}

interface Proof {
  readonly name: string
  readonly promise: string
  /** The command that runs it; what was run in fact is in its records. */
  readonly command: string
}

/** Everything that hunts for a broken promise and can keep what it found, in the order of the page. */
export const proofs: readonly Proof[] = [
  {
    name: 'storm',
    promise:
      'A limit holds, and the ledger balances to the nano-dollar, while processes and PostgreSQL are killed and paused',
    command: 'node packages/server/scripts/storm.ts',
  },
  {
    name: 'outsider',
    promise: 'Everything that a customer can read agrees with every answer that their callers were given',
    command: 'node packages/server/scripts/outsider-storm.ts',
  },
  {
    name: 'ingest',
    promise: 'A run that was acknowledged is stored once, whatever dies meanwhile',
    command: 'node packages/server/scripts/ingest-storm.ts',
  },
  {
    name: 'webhooks',
    promise: 'A committed event reaches every healthy endpoint, and dead ones delay no others',
    command: 'node packages/server/scripts/webhook-storm.ts',
  },
  {
    name: 'decide',
    promise: 'The engine decides as a naive model of the rules does',
    command: 'node packages/server/scripts/simulate.ts decide',
  },
  {
    name: 'life',
    promise: 'Whole lives of a ledger keep every invariant, with messages lost and doubled',
    command: 'node packages/server/scripts/simulate.ts life',
  },
  {
    name: 'walk-round',
    promise: 'A caller with a key cannot get round its limits, and each defence is missed when it is taken away',
    command: 'node packages/server/scripts/walk-round.ts',
  },
  {
    name: 'limit',
    promise: 'A provider behind the gateway bills no more than the limit, while gateways and Weir are killed',
    command: 'pnpm prove limit',
  },
  {
    name: 'bounds',
    promise: 'No request is billed above what the gateway held for it',
    command: 'pnpm prove bounds',
  },
  {
    name: 'fidelity',
    promise: 'Bytes pass the gateway unchanged, cut wherever they may be',
    command: 'pnpm prove fidelity',
  },
  {
    name: 'aborts',
    promise: 'A stream that the caller drops is charged what the provider bills',
    command: 'pnpm prove aborts',
  },
  {
    name: 'crashes',
    promise: 'So is a stream that a dying gateway cuts',
    command: 'pnpm prove crashes',
  },
  {
    name: 'sdk',
    promise: 'Calls with the SDK are booked as they are billed, while everything around them fails',
    command: 'pnpm prove:sdk',
  },
  {
    name: 'import',
    promise: 'An import from LiteLLM has every sum of its source, though it is killed meanwhile',
    command: 'pnpm prove:import',
  },
  {
    name: 'alerts',
    promise: 'What goes wrong fires its alert, and what is mended clears it',
    command: 'node packages/server/scripts/alert-drill.ts',
  },
  {
    name: 'disasters',
    promise:
      'A restore, a failover, a lost Redis, a full disk and wrong clocks lose nothing acknowledged and pass no limit',
    command: 'node packages/server/scripts/disaster-drill.ts',
  },
]

/** Reads what is kept under a name, or says that nothing is. */
export type ReadRecords = (name: string) => unknown

const fromDisk: ReadRecords = (name) => {
  const path = `${recordsFolder}/${name}.json`
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as unknown) : undefined
}

const count = (value: number) => value.toLocaleString('en')
const machineText = ({ processor, cores, memory_gib, system, node, load }: Machine) =>
  `${cores} cores (${processor}), ${memory_gib} GiB, ${system}, Node ${node}, load ${load} at its start`

function proofPage(read: ReadRecords): string {
  const performance = read('performance') as Performance | undefined
  return `# Proof

<!-- Written by \`pnpm prove:page\` and \`pnpm generate\` from the records in docs/proof; do not edit. -->

What was tried to break Weir, how often, and what came of it; and what it costs to run. Everything here was recorded by the command that stands beside it: a
row without a record says so. Run them yourself: \`scripts/setup\`, \`scripts/services up\`, then the command after \`scripts/run\`. [Threats](threat-model.md) and what
stops them have a page of their own, as does [what happens when something is lost](disasters.md).

## What was tried to break it

Real programs, a real PostgreSQL and Redis, killed with \`SIGKILL\` and stopped with \`SIGSTOP\` at random moments. A judge that shares no code with Weir keeps its own
log of what callers were told, or the books of the provider, and compares. The tests plant faults on purpose, and fail if the judge does not
find them. Runs add up: a row counts every one that was recorded.

${proofTable(read)}

${proofs.map((proof) => proofDetails(proof, read)).join('\n\n')}

## What a decision takes

${performance === undefined ? 'Not measured yet: `pnpm bench situations --record`.' : performanceText(performance)}
`
}

const recordsOf = (name: string, read: ReadRecords) => (read(name) as ProofRecord[] | undefined) ?? []

function proofTable(read: ReadRecords): string {
  const rows = proofs.map(({ name, promise, command }) => {
    const records = recordsOf(name, read)
    if (records.length === 0) return `| ${promise} | not recorded yet: \`${command} --record\` | | |`
    const tried = records.reduce((sum, record) => sum + record.tried, 0)
    const broken = records.reduce((sum, record) => sum + record.broken, 0)
    return `| [${promise}](#${name}) | ${count(tried)} ${records[0]!.of} | ${broken === 0 ? '0' : `**${count(broken)}**`} | ${records.at(-1)!.at.slice(0, 10)} |`
  })
  return ['| promise | tried | broken | last |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

function proofDetails({ name, command }: Proof, read: ReadRecords): string {
  const records = recordsOf(name, read)
  if (records.length === 0) return `### ${name}\n\nNot recorded yet: \`${command} --record\`.`
  const latest = records.at(-1)!
  const rows = records.map(
    ({ command, at, seconds, commit, tried, broken }) =>
      `| \`${command}\` | ${at.replace('T', ' ').replace('Z', ' UTC')} | \`${commit}\` | ${count(tried)} | ${count(broken)} | ${count(seconds)} s |`,
  )
  const figures = Object.entries(latest.figures).map(
    ([what, value]) => `${what}: ${typeof value === 'number' ? count(value) : value}`,
  )
  return `### ${name}

| command | when | commit | tried | broken | took |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

The last one: ${figures.join('; ')}. On ${machineText(latest.machine)}.`
}

const ms = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2))
const sideText = (side: Side | undefined) =>
  side === undefined
    ? ''
    : `${count(side.rate)}/s, ${ms(side.p50)} / ${ms(side.p99)} ms${side.refused > 0 ? `, ${(100 * side.refused).toFixed(1)} % turned away` : ''}`
const ratio = (a: Side | undefined, b: Side | undefined, of: 'rate' | 'p50' | 'p99') =>
  a === undefined || b === undefined || b[of] === 0 ? '' : (a[of] / b[of]).toFixed(2)

function situationRow({ situation, load, sides: { weir, framework, postgres } }: Measured): string {
  const isRate = load.endsWith('/s')
  const against = (other: Side | undefined) => (isRate ? ratio(weir, other, 'p99') : ratio(weir, other, 'rate'))
  return `| ${situation} | ${load} | ${sideText(weir)} | ${sideText(postgres)} | ${against(postgres)} | ${sideText(framework)} | ${against(framework)} |`
}

function performanceText(performance: Performance): string {
  const { command, at, seconds, commit, machine, measured, failover, writes, memory } = performance
  return `\`${command}\` at \`${commit}\`, ${at.replace('T', ' ').replace('Z', ' UTC')}, in ${Math.round(seconds / 60)} minutes, on ${machineText(machine)}. Client, Weir, PostgreSQL
and Redis share this machine, and the client takes its part of it: the ratios say more than the figures.

A decision is \`POST /v1/edge/decision\` with five limits, durable before it is answered. Beside it, in the same minutes: **PostgreSQL alone**, by pgbench, with the same
rows in one transaction for each decision; and **the bare framework**, which parses the body, answers, and decides nothing. So many *callers* wait for their answers; so many
*a second* come at fixed moments whatever happens, and their time runs from the moment at which they were due. Times are p50 / p99. The ratio is that of the rates for callers
(above 1: Weir is quicker), and that of p99 for rates (above 1: Weir is slower).

| situation | load | Weir | PostgreSQL alone | ratio | bare framework | ratio |
| --- | --- | --- | --- | --- | --- | --- |
${measured.map(situationRow).join('\n')}

![Times of decisions in each situation: Weir, PostgreSQL alone and the bare framework](images/proof-latency.svg)

${failover === undefined ? 'The death of the primary was not measured.' : failoverText(failover)}

### Bytes

| what | write-ahead log | disk |
| --- | --- | --- |
${writes.map(({ call, wal, disk }) => `| ${call} | ${count(wal)} bytes | ${count(disk)} bytes |`).join('\n')}

Old rows go as [whole partitions](retention.md). Disk is that of a database without vacuum in between; what is updated in place is used again.

### Memory

| program | when | memory |
| --- | --- | --- |
${memory.map(({ program, moment, mib }) => `| ${program} | ${moment} | ${count(mib)} MiB |`).join('\n')}`
}

function failoverText(failover: NonNullable<Results['failover']>): string {
  const { perSecond, killedAt, firstAnswer, steady, p99Before, p99After, admitted, lost, seconds } = failover
  const failed = seconds.reduce((sum, second) => sum + second.failed, 0)
  return `### When the primary dies

${perSecond} decisions a second; after ${killedAt} s the primary is killed, its synchronous standby is promoted at once, and the address leads there. The first answer came
${firstAnswer} s after the death. ${failed === 0 ? 'No request failed' : `${count(failed)} requests got 503 or no answer`} of ${count(seconds.length * perSecond)}; from ${steady === null ? 'no' : `${steady} s`} after the death on, p99 was steady: ${ms(p99After)} ms, ${ms(p99Before)} ms before. Of
${count(admitted)} reservations that callers were told of, the new primary lacked ${lost}. How long it takes to notice a death is up to whoever watches the servers, and not part of this.

![Each second of the failover: answered, failed, and p99](images/proof-failover.svg)`
}

/** The page and its pictures, by path in the repository; a picture of what was not measured is not drawn. */
export function proofFiles(read = fromDisk): Record<string, string> {
  const performance = read('performance') as Performance | undefined
  return {
    'docs/proof.md': proofPage(read),
    ...(performance && { 'docs/images/proof-latency.svg': latencyPicture(performance.measured) }),
    ...(performance?.failover && { 'docs/images/proof-failover.svg': failoverPicture(performance.failover) }),
  }
}
