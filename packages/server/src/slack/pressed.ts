import { isRecord, recordIn } from '../values/records.ts'
import { actions } from './messages.ts'

/** A button that somebody has pressed, as Slack tells it. */
export interface Press {
  readonly action: keyof typeof actions
  /** Id of the approval that the button is about. */
  readonly value: string
  readonly teamId: string
  readonly userId: string
  readonly responseUrl: string | undefined
  /** The message on which the button is. */
  readonly channel: string | undefined
  readonly ts: string | undefined
}

const maxIdLength = 64
const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= maxIdLength && /^[A-Za-z0-9_.-]+$/.test(value) ? value : undefined

/** Returns what was pressed; undefined for anything that is no button of ours. */
export function pressIn(body: Buffer): Press | undefined {
  const payload = parsed(new URLSearchParams(body.toString('utf8')).get('payload') ?? '')
  const { type, user, team, channel, message, response_url, actions: pressed } = payload
  const [first] = Array.isArray(pressed) ? (pressed as unknown[]) : []
  if (type !== 'block_actions' || !isRecord(first)) return undefined
  const action = (Object.keys(actions) as Press['action'][]).find((name) => actions[name] === first['action_id'])
  const userId = idIn(recordIn(user)['id'])
  // The workspace of the user, which in a shared channel may be another one than that of the app.
  const teamId = idIn(recordIn(user)['team_id']) ?? idIn(recordIn(team)['id'])
  const value = idIn(first['value'])
  if (action === undefined || userId === undefined || teamId === undefined || value === undefined) return undefined
  return {
    action,
    value,
    teamId,
    userId,
    responseUrl: typeof response_url === 'string' ? response_url : undefined,
    channel: idIn(recordIn(channel)['id']),
    ts: idIn(recordIn(message)['ts']),
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return recordIn(JSON.parse(text))
  } catch {
    return {}
  }
}
