import type { Message } from './message.ts'

/**
 * An event as a Slack message. Whatever somebody has named stands in objects of the type `plain_text`, in which Slack reads neither
 * mentions nor links nor formats; only the notification's text is markup, and there it is escaped.
 */

const colours = { critical: '🔴', error: '🟠', warning: '🟡', info: '🔵' } as const
const headerLength = 150
const sectionFields = 10
const fieldLength = 2_000

/** Returns a text as Slack's markup shows it, whatever it contains. */
export const slackEscaped = (text: string): string =>
  text.replace(/[&<>]/g, (c) => (c === '&' ? '&amp;' : c === '<' ? '&lt;' : '&gt;'))

/** Returns a text in which Slack reads no markup, cut to what it takes. */
export const slackPlain = (text: string, most: number) => ({
  type: 'plain_text',
  text: Array.from(text).slice(0, most).join(''),
  emoji: false,
})

export type SlackBlock = Readonly<Record<string, unknown>>

/** Returns the blocks of a message: a title, its facts two in a row, and a link into the console. */
export function slackBlocks({ title, facts, severity, url }: Message): SlackBlock[] {
  const sections: SlackBlock[] = []
  for (let i = 0; i < facts.length; i += sectionFields)
    sections.push({
      type: 'section',
      fields: facts
        .slice(i, i + sectionFields)
        .map(({ label, value }) => slackPlain(`${label}: ${value}`, fieldLength)),
    })
  return [
    { type: 'header', text: slackPlain(`${colours[severity]} ${title}`, headerLength) },
    ...sections,
    {
      type: 'context',
      elements: [{ type: 'mrkdwn', text: `<${slackEscaped(url).replaceAll('|', '%7C')}|Open in Weir>` }],
    },
  ]
}

/** Returns the body of a message, for an incoming webhook or, with a channel, for `chat.postMessage`. */
export const slackMessage = (message: Message, more: readonly SlackBlock[] = []) => ({
  text: slackEscaped(`${colours[message.severity]} ${message.title}`),
  blocks: [...slackBlocks(message), ...more],
  mrkdwn: false,
  unfurl_links: false,
  unfurl_media: false,
})
