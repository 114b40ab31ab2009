import { testMessage, withoutPreviews } from './messages.ts'
import type { SlackAppTest } from './schema.ts'
import type { SlackClient } from './web-api.ts'

const advice: Readonly<Record<string, string>> = {
  not_in_channel: 'Invite the app to the channel: /invite @Weir.',
  channel_not_found: 'There is no such channel, or it is private and the app is not in it: /invite @Weir.',
  is_archived: 'The channel is archived.',
  invalid_auth: 'Slack does not know this token. Copy the bot token again.',
  not_authed: 'Slack does not know this token. Copy the bot token again.',
  account_inactive: 'The app was removed from the workspace. Install it again.',
  token_revoked: 'The token was revoked. Install the app again.',
  missing_scope: 'The app lacks a scope of its manifest. Install it again.',
}

/** Posts a message to the channel of an app, and says what came of it. */
export async function testApp(
  slack: SlackClient,
  token: string,
  channel: string,
  publicUrl: string,
): Promise<SlackAppTest> {
  const known = await slack.call('auth.test', token, {})
  const team = known.ok && typeof known.body['team'] === 'string' ? known.body['team'] : null
  const answer = known.ok
    ? await slack.call('chat.postMessage', token, { channel, ...testMessage(publicUrl), ...withoutPreviews })
    : known
  if (answer.ok) return { ok: true, fault: null, message: null, team }
  return { ok: false, fault: answer.fault, message: advice[answer.fault] ?? null, team }
}
