import { type Content, html, type Markup, note, nothing, pageHead, tabs } from '../components/components.ts'
import { messageIn, type Visit } from '../frame/frame.ts'

/** Path of the settings, and of their entry in the navigation. */
export const path = '/console/settings'

const done: Readonly<Record<string, string>> = {
  saved: 'Saved. It binds the next request.',
  ended: 'Support has no access any more.',
}

/** The head of a part of the settings, with links to the others, and a word on what was just done. */
export const settingsHead = (
  { may, query }: Visit,
  current: 'general' | 'calls' | 'slack' | 'support',
  sub: Content,
): Markup => {
  const message = messageIn(done, query)
  return html`${pageHead('Settings', sub)}${tabs('Settings', [
    { href: path, text: 'General', isHere: current === 'general' },
    { href: `${path}/calls`, text: 'Trust and names', isHere: current === 'calls' },
    ...(may('sso:read', 'admin') ? [{ href: `${path}/slack`, text: 'Slack', isHere: current === 'slack' }] : []),
    ...(may('support:read', 'admin')
      ? [{ href: `${path}/support`, text: 'Support access', isHere: current === 'support' }]
      : []),
  ])}${message === undefined ? nothing : note('info', message)}`
}
