import type { Fact, Message } from './message.ts'

/**
 * An event as an Adaptive Card in the envelope that Workflows of Teams take. Text that somebody has named stands in runs of text, in
 * which cards read no Markdown; functions such as `{{DATE(…)}}` are broken up.
 */

const colours = { critical: 'Attention', error: 'Attention', warning: 'Warning', info: 'Default' } as const

const inert = (text: string) => text.replaceAll('{{', '{\u200b{')

const textRun = (text: string, more: object = {}) => ({ type: 'TextRun', text: inert(text), ...more })

const paragraph = (inlines: readonly object[], more: object = {}) => ({ type: 'RichTextBlock', inlines, ...more })

const factLine = ({ label, value }: Fact) =>
  paragraph([textRun(`${label}: `, { weight: 'Bolder' }), textRun(value)], { spacing: 'Small' })

export const teamsCard = ({ title, facts, severity, url }: Message) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          paragraph([textRun(title, { size: 'Large', weight: 'Bolder', color: colours[severity] })]),
          ...facts.map(factLine),
        ],
        actions: [{ type: 'Action.OpenUrl', title: 'Open in Weir', url }],
      },
    },
  ],
})
