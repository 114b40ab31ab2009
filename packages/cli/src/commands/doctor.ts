import type { Command } from 'commander'
import { Client } from '../api/client.ts'
import { Fault } from '../faults.ts'
import { countOf } from '../output/amounts.ts'
import { cleanLine } from '../output/clean.ts'
import type { Tone } from '../output/terminal.ts'
import type { Me, Session } from '../session/session.ts'
import { messageOf } from '../values.ts'
import { action, type Context, isInTheOpen } from './context.ts'
import { type Finding, installationChecks } from './doctor-installation.ts'
import { organizationChecks } from './doctor-organization.ts'

export function addDoctorCommand(program: Command) {
  action(
    program
      .command('doctor')
      .description('look for what is wrong with this installation and with your organization; 1 if something is'),
    doctor,
  )
}

const tones: Readonly<Record<Finding['level'], Tone>> = {
  ok: 'good',
  warning: 'warning',
  problem: 'bad',
  unknown: 'quiet',
}

async function doctor({ terminal, isJson, target, end }: Context) {
  const { url, key, source } = target()
  const client = new Client({ url, key, timeoutMs: 15_000 })
  const findings: Finding[] = []
  const look = async (name: string, check: () => Promise<Finding[]>) => {
    terminal.progress(`looking at ${name}`)
    findings.push(...(await check().catch((error: unknown) => [findingOf(name, error)])))
  }
  if (isInTheOpen(url))
    findings.push({
      check: 'encryption',
      level: 'warning',
      message: `${url} is not encrypted: whoever is on the way reads your key`,
    })
  for (const [name, check] of installationChecks(client)) await look(name, check)
  const isReachable = !findings.some(({ check, level }) => check === 'reachable' && level === 'problem')
  const session = isReachable ? await enterSession(client, key, source, findings) : undefined
  if (session) for (const [name, check] of organizationChecks(session)) await look(name, check)
  const worst = findings.some(({ level }) => level === 'problem')
  if (isJson) terminal.json({ url, findings, healthy: !worst })
  else {
    for (const { level, check, message, hint } of findings) {
      terminal.print(`${terminal.paint(level.padEnd(8), tones[level])} ${check.padEnd(18)} ${cleanLine(message)}`)
      if (hint !== undefined) terminal.print(terminal.paint(`${' '.repeat(28)}${cleanLine(hint)}`, 'quiet'))
    }
    const count = (wanted: Finding['level']) => findings.filter(({ level }) => level === wanted).length
    terminal.print(`${countOf(count('problem'), 'problem')}, ${countOf(count('warning'), 'warning')}.`)
  }
  if (!isReachable) end(4)
  else if (worst) end(1)
}

async function enterSession(
  client: Client,
  key: string | undefined,
  source: string,
  findings: Finding[],
): Promise<Session | undefined> {
  if (key === undefined) {
    findings.push({
      check: 'key',
      level: 'unknown',
      message: 'there is no key: the organization was not looked at',
      hint: 'Sign in with `weir login`.',
    })
    return undefined
  }
  try {
    const me = await client.get<Me>('/v1/me')
    return { client, me, orgId: me.org_id ?? undefined, source }
  } catch (error) {
    findings.push({
      check: 'key',
      level: 'problem',
      message: messageOf(error),
      ...(error instanceof Fault && error.hint && { hint: error.hint }),
    })
    return undefined
  }
}

const findingOf = (check: string, error: unknown): Finding => ({
  check,
  level: 'unknown',
  message: `could not be looked at: ${messageOf(error).split('\n')[0] ?? ''}`,
})
