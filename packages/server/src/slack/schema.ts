import { type Static, Type } from 'typebox'
import { ListOf, ListQuery } from '../contract/lists.ts'
import { Computed, exampleId, Id, IdFilter, Nullable, PathId, Timestamp } from '../contract/wire.ts'

const channel = {
  maxLength: 80,
  pattern: '^[#A-Za-z0-9_.-]{1,80}$',
  description:
    'The channel in which requests for approval are told, by its id or its name. The app must be a member of it.',
  examples: ['C0123456789'],
}
const enabledNote = 'While it is false, nothing is told in Slack, and its buttons decide nothing.'
const secretNote = 'Write-only. Left out, the stored one is kept.'

export const SlackAppInput = Type.Object(
  {
    channel: Type.String(channel),
    enabled: Type.Optional(Type.Boolean({ default: true, description: enabledNote })),
    signing_secret: Type.Optional(
      Type.String({
        maxLength: 128,
        pattern: '^[A-Za-z0-9]{16,128}$',
        writeOnly: true,
        description: `The signing secret of the app, by which its requests are known to come from Slack. ${secretNote}`,
        examples: ['0123456789abcdef0123456789abcdef'],
      }),
    ),
    bot_token: Type.Optional(
      Type.String({
        maxLength: 256,
        pattern: '^xoxb-[A-Za-z0-9-]{1,250}$',
        writeOnly: true,
        description: `The token of the app’s bot, with which it writes. ${secretNote}`,
        examples: ['xoxb-1234-abcd'],
      }),
    ),
  },
  {
    title: 'SlackAppInput',
    examples: [
      {
        channel: 'C0123456789',
        enabled: true,
        signing_secret: '0123456789abcdef0123456789abcdef',
        bot_token: 'xoxb-1234-abcd',
      },
    ],
  },
)
export type SlackAppInput = Static<typeof SlackAppInput>

export const SlackApp = Type.Object(
  {
    id: Id('slackApp'),
    channel: Type.String(channel),
    enabled: Type.Boolean({ description: enabledNote }),
    signing_secret_set_at: Timestamp,
    signing_secret_set_by: Type.Array(Type.String({ examples: [exampleId('member')] }), {
      description:
        'Who has set this signing secret: members and keys. Whoever knows it could press any button, so a request that one of them may not decide is not decided in Slack.',
    }),
    bot_token_set_at: Timestamp,
    fault: Computed(
      Nullable(
        Type.String({
          description: 'What Slack last refused; null once it takes messages.',
          examples: ['not_in_channel'],
        }),
      ),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'SlackApp', description: 'The Slack app of the organization, without its secrets.' },
)
export type SlackApp = Static<typeof SlackApp>

const Bool = Type.Boolean()
export const SlackManifest = Type.Object(
  {
    display_information: Type.Object({
      name: Type.String({ examples: ['Weir'] }),
      description: Type.String({ examples: ['Approvals of what AI agents want to do.'] }),
      background_color: Type.String({ examples: ['#123a4a'] }),
    }),
    features: Type.Object({
      bot_user: Type.Object({ display_name: Type.String({ examples: ['Weir'] }), always_online: Bool }),
    }),
    oauth_config: Type.Object({
      scopes: Type.Object({ bot: Type.Array(Type.String({ examples: ['chat:write'] })) }),
    }),
    settings: Type.Object({
      interactivity: Type.Object({
        is_enabled: Bool,
        request_url: Type.String({ examples: [`https://weir.example/slack/${exampleId('org')}/interactions`] }),
      }),
      org_deploy_enabled: Bool,
      socket_mode_enabled: Bool,
      token_rotation_enabled: Bool,
    }),
  },
  { title: 'SlackManifest', description: 'The manifest from which Slack makes the app.' },
)
export type SlackManifest = Static<typeof SlackManifest>

export const SlackAppTest = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether Slack has taken a message for the channel.' }),
    fault: Nullable(
      Type.String({ description: 'What Slack said, or why it was not reached.', examples: ['not_in_channel'] }),
    ),
    message: Nullable(Type.String({ examples: ['Invite the app to the channel: /invite @Weir.'] })),
    team: Nullable(Type.String({ description: 'The workspace of the token.', examples: ['Acme'] })),
  },
  { title: 'SlackAppTest', description: 'What Slack said to a message.' },
)
export type SlackAppTest = Static<typeof SlackAppTest>

export const SlackLink = Type.Object(
  {
    id: Id('slackLink'),
    member_id: Id('member'),
    slack_team_id: Type.String({ examples: ['T0123456789'] }),
    slack_user_id: Type.String({ examples: ['U0123456789'] }),
    slack_user_name: Type.String({ description: 'The name in Slack, as it was then.', examples: ['ada'] }),
    created_at: Timestamp,
  },
  { title: 'SlackLink', description: 'A Slack user who is a member.' },
)
export type SlackLink = Static<typeof SlackLink>
export const SlackLinkList = ListOf(SlackLink)
export const SlackLinkListQuery = ListQuery(
  { created_at: 'time' },
  { member_id: IdFilter(['member'], 'Only the link of this member.') },
)
export const SlackLinkPath = Type.Object({ id: PathId('org'), slack_link_id: PathId('slackLink') })
