import { Type } from 'typebox'
import { OneOf } from '../../contract/wire.ts'
import { destinationKinds, pagerdutyEventsUrl } from '../destinations/destination.ts'
import { defaultDigestSeconds } from '../destinations/digest.ts'

const maxUrlLength = 2_048

const secretNote = 'Write-only. Left out where the destination stays as it is, the stored one is kept.'

const shown = {
  format: Type.Optional(
    Type.Enum(['weir', 'cloudevents'], {
      description:
        'Of `https`: `weir`, the default, or `cloudevents` for the structured mode of CloudEvents 1.0. Signed alike.',
    }),
  ),
  channel: Type.Optional(
    Type.String({
      maxLength: 80,
      pattern: '^[#A-Za-z0-9_.-]{1,80}$',
      description: 'Of `slack`, with a bot token: the id of the channel, or its name.',
      examples: ['C0123456789'],
    }),
  ),
  events_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxUrlLength,
      description: `Of \`pagerduty\`: the address of the Events API, by default \`${pagerdutyEventsUrl}\`; that of the European service is \`https://events.eu.pagerduty.com/v2/enqueue\`.`,
      examples: [pagerdutyEventsUrl],
    }),
  ),
  recipients: Type.Optional(
    Type.Array(Type.String({ minLength: 3, maxLength: 254, examples: ['ops@example.com'] }), {
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
      description:
        'Of `email`: addresses of domains that the organization has proved, or of active members, who confirm theirs with a code that is mailed to them. Whoever is neither when a mail is sent gets none.',
    }),
  ),
  digest_seconds: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: 86_400,
      description: `Of all but \`https\`: the first event about something is told at once; what follows about the same is told as one message with a count, each time after so long. By default ${defaultDigestSeconds}.`,
      examples: [defaultDigestSeconds],
    }),
  ),
}

export const DestinationInput = Type.Object(
  {
    kind: Type.Enum([...destinationKinds], {
      description:
        '`https` posts the event as JSON to `url`. The others send a message with names, amounts and a link into the console.',
    }),
    ...shown,
    webhook_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxUrlLength,
        writeOnly: true,
        description: `Of \`slack\`: the URL of an incoming webhook. Of \`teams\`: the URL of a workflow. ${secretNote}`,
        examples: ['https://hooks.slack.com/services/T0000/B0000/XXXX'],
      }),
    ),
    bot_token: Type.Optional(
      Type.String({
        maxLength: 256,
        pattern: '^xox[a-z]-[A-Za-z0-9-]{1,250}$',
        writeOnly: true,
        description: `Of \`slack\`: the token of a bot that may write to \`channel\`. ${secretNote}`,
        examples: ['xoxb-1234-abcd'],
      }),
    ),
    routing_key: Type.Optional(
      Type.String({
        maxLength: 32,
        pattern: '^[A-Za-z0-9]{32}$',
        writeOnly: true,
        description: `Of \`pagerduty\`: the integration key of a service. ${secretNote}`,
        examples: ['e93facc04764012d7bfb002500d5d1a6'],
      }),
    ),
  },
  { title: 'DestinationInput', description: 'Where events go, and in what form; by default as JSON to `url`.' },
)

export const DestinationView = Type.Object(
  { kind: OneOf(destinationKinds), ...shown },
  { title: 'Destination', description: 'Where events go, and in what form; without its secret.' },
)
