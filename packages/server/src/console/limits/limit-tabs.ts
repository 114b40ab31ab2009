import { type Content, html, type Markup, note, nothing, pageHead, tabs } from '../components/components.ts'
import { messageIn, type Visit } from '../frame/frame.ts'

/** Path of the first page of these limits, which is their entry of the navigation. */
export const limitsPath = '/console/limits'

const list = [
  ['', 'Organization'],
  ['/concurrency', 'Runs at once'],
  ['/defaults', 'Default budgets'],
  ['/chains', 'Chains'],
  ['/frozen', 'Frozen'],
] as const

const messages: Readonly<Record<string, string>> = {
  set: 'The change binds from the next call on.',
  removed: 'It is removed. It stops nothing from the next call on.',
  frozen: 'Frozen. Every new call is refused from now on; calls that run go on.',
  thawed: 'Thawed. Its limits decide again.',
}

/** The head that these pages have in common, with the tabs, and what was just done. */
export const limitsHead = (
  { query }: Visit,
  tab: (typeof list)[number][0],
  sub: Content,
  ...actions: readonly Content[]
): Markup => {
  const message = messageIn(messages, query)
  return html`${pageHead('Other limits', sub, ...actions)}${tabs(
    'Kinds of limits',
    list.map(([path, text]) => ({ href: limitsPath + path, text, isHere: path === tab })),
  )}${message === undefined ? nothing : note('info', message)}`
}
