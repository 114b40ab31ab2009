import { createRequire } from 'node:module'
import type * as AdaptiveCards from 'adaptivecards'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'

/**
 * What Slack, Teams and PagerDuty refuse, from what they publish: the limits of Block Kit, the parser of Adaptive Cards, the schema of
 * the Events API v2.
 */

// The modules of the package name no file endings, so that Node finds only its bundle.
const { AdaptiveCard, SerializationContext, Versions } = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.js',
) as typeof AdaptiveCards
const ajv = new Ajv({ allErrors: true, strict: true, strictRequired: false, strictTypes: false })
addFormats.default(ajv)

const text = (type: readonly string[], maxLength: number) => ({
  type: 'object',
  required: ['type', 'text'],
  additionalProperties: false,
  properties: {
    type: { enum: type },
    text: { type: 'string', minLength: 1, maxLength },
    emoji: { type: 'boolean' },
    verbatim: { type: 'boolean' },
  },
})
const either = ['plain_text', 'mrkdwn']
const blockId = { block_id: { type: 'string', maxLength: 255 } }
const block = (type: string, required: readonly string[], properties: object) => ({
  type: 'object',
  required: ['type', ...required],
  additionalProperties: false,
  properties: { type: { const: type }, ...blockId, ...properties },
})
const button = {
  type: 'object',
  required: ['type', 'text', 'action_id'],
  additionalProperties: false,
  properties: {
    type: { const: 'button' },
    text: text(['plain_text'], 75),
    action_id: { type: 'string', maxLength: 255 },
    url: { type: 'string', maxLength: 3_000 },
    value: { type: 'string', maxLength: 2_000 },
    style: { enum: ['primary', 'danger'] },
    confirm: { type: 'object' },
  },
}
const list = (items: object, maxItems: number) => ({ type: 'array', minItems: 1, maxItems, items })

const slackBlocks = {
  header: block('header', ['text'], { text: text(['plain_text'], 150) }),
  section: {
    ...block('section', [], { text: text(either, 3_000), fields: list(text(either, 2_000), 10) }),
    anyOf: [{ required: ['text'] }, { required: ['fields'] }],
  },
  context: block('context', ['elements'], { elements: list(text(either, 3_000), 10) }),
  actions: block('actions', ['elements'], { elements: list(button, 25) }),
  divider: block('divider', [], {}),
}

const slackMessage = ajv.compile({
  type: 'object',
  required: ['text', 'blocks'],
  additionalProperties: false,
  properties: {
    channel: { type: 'string' },
    ts: { type: 'string' },
    text: { type: 'string', minLength: 1, maxLength: 40_000 },
    mrkdwn: { type: 'boolean' },
    unfurl_links: { type: 'boolean' },
    unfurl_media: { type: 'boolean' },
    blocks: list({ oneOf: Object.values(slackBlocks) }, 50),
  },
})

const shape = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
})
const words = (maxLength: number, minLength = 1) => ({ type: 'string', minLength, maxLength })
const flag = { type: 'boolean' }
const webAddress = { type: 'string', pattern: '^https?:\\/\\/', maxLength: 3_500 }

/** The part of github.com/slackapi/manifest-schema, version 1.0.0, that an app without commands and events can have. */
const slackManifest = ajv.compile(
  shape(
    {
      display_information: shape(
        {
          name: words(35),
          description: words(140),
          background_color: { type: 'string', pattern: '^#[0-9a-fA-F]{3}([0-9a-fA-F]{3})?$' },
          long_description: words(4_000, 175),
        },
        ['name'],
      ),
      features: shape({ bot_user: shape({ display_name: words(80), always_online: flag }, ['display_name']) }),
      oauth_config: shape({
        scopes: shape({
          bot: {
            type: 'array',
            maxItems: 255,
            uniqueItems: true,
            items: { type: 'string', pattern: '^[a-z.]+(:[a-z.]+)*$' },
          },
        }),
      }),
      settings: shape({
        interactivity: shape({ is_enabled: flag, request_url: webAddress, message_menu_options_url: webAddress }, [
          'is_enabled',
        ]),
        org_deploy_enabled: flag,
        socket_mode_enabled: flag,
        token_rotation_enabled: flag,
      }),
    },
    ['display_information'],
  ),
)

const url = { type: 'string', format: 'uri' }
const pagerdutyEvent = ajv.compile({
  type: 'object',
  required: ['routing_key', 'event_action'],
  additionalProperties: false,
  properties: {
    routing_key: { type: 'string', minLength: 32, maxLength: 32 },
    event_action: { enum: ['trigger', 'acknowledge', 'resolve'] },
    dedup_key: { type: 'string', maxLength: 255 },
    client: { type: 'string' },
    client_url: url,
    links: {
      type: 'array',
      items: { type: 'object', required: ['href'], properties: { href: url, text: { type: 'string' } } },
    },
    images: { type: 'array', items: { type: 'object', required: ['src'], properties: { src: url } } },
    payload: {
      type: 'object',
      required: ['summary', 'severity', 'source'],
      additionalProperties: false,
      properties: {
        summary: { type: 'string', minLength: 1, maxLength: 1_024 },
        timestamp: { type: 'string', format: 'date-time' },
        severity: { enum: ['critical', 'warning', 'error', 'info'] },
        source: { type: 'string', minLength: 1 },
        component: { type: 'string' },
        group: { type: 'string' },
        class: { type: 'string' },
        custom_details: { type: 'object' },
      },
    },
  },
  if: { properties: { event_action: { const: 'trigger' } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['payload'] },
  else: { required: ['dedup_key'] },
})

const faultsOf = (check: ReturnType<typeof ajv.compile>, value: unknown) =>
  check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)

export const slackFaults = (value: unknown): string[] => faultsOf(slackMessage, value)
export const manifestFaults = (value: unknown): string[] => faultsOf(slackManifest, value)
export const pagerdutyFaults = (value: unknown): string[] => faultsOf(pagerdutyEvent, value)

/** Most bytes that Teams takes for a message. */
const maxTeamsBytes = 28 * 1_024

/** Returns what the parser of Adaptive Cards says of a message for a workflow of Teams. */
export function cardFaults(value: unknown): string[] {
  const { type, attachments = [] } = value as {
    type?: string
    attachments?: { contentType: string; content: object }[]
  }
  const faults = type === 'message' && attachments.length === 1 ? [] : ['not a message with one attachment']
  if (Buffer.byteLength(JSON.stringify(value)) > maxTeamsBytes) faults.push('too large for Teams')
  for (const { contentType, content } of attachments) {
    if (contentType !== 'application/vnd.microsoft.card.adaptive') faults.push(`content type ${contentType}`)
    const card = new AdaptiveCard()
    const context = new SerializationContext(Versions.v1_4)
    card.parse(content, context)
    for (let i = 0; i < context.eventCount; i++) faults.push(context.getEventAt(i).message)
    faults.push(...card.validateProperties().validationEvents.map(({ message }) => message))
    if (!(card.getItemCount() > 0)) faults.push('an empty card')
  }
  return faults
}
