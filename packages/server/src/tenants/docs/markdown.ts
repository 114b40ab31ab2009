import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import yaml from 'highlight.js/lib/languages/yaml'
import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from './shell.ts'

for (const [name, language] of Object.entries({ bash, javascript, json, python, sql, yaml }))
  highlighter.registerLanguage(name, language)

/** Labels of code blocks by language; other languages have none. */
const labels: Readonly<Record<string, string>> = {
  bash: 'Terminal',
  sh: 'Terminal',
  js: 'JavaScript',
  json: 'JSON',
  python: 'Python',
  sql: 'SQL',
  yaml: 'YAML',
  text: 'Output',
}

export interface Heading {
  readonly depth: number
  readonly anchor: string
  /** HTML without links, so that it can stand inside one. */
  readonly html: string
}

/** Longest inline code that is not broken across lines. */
const longestUnbroken = 24

const anchorOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/<[^>]+>|&[a-z]+;|[`"']/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** Rewrites links between guides, which name files so that they also work in the sources. */
const servedLink = (href: string) =>
  href.replace(
    /^([a-z-]+)\.md(#.*)?$/,
    (_whole, name: string, anchor = '') => (name === 'index' ? '/docs' : `/docs/${name}`) + String(anchor),
  )

const marked = new Marked({
  walkTokens: (token) => {
    // Pictures are named by their files, too.
    if (token.type === 'image') token['href'] = (token as Tokens.Image).href.replace(/^images\//, '/docs/images/')
  },
  renderer: {
    heading({ tokens, depth }: Tokens.Heading) {
      const text = this.parser.parseInline(tokens)
      const anchor = anchorOf(text)
      return `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}">${text}</a></h${depth}>\n`
    },
    link({ href, tokens }: Tokens.Link) {
      return `<a href="${servedLink(href)}">${this.parser.parseInline(tokens)}</a>`
    },
    codespan({ text }: Tokens.Codespan) {
      return `<code${text.length <= longestUnbroken ? ' class="unbroken"' : ''}>${escapeHtml(text)}</code>`
    },
    code({ text, lang = '' }: Tokens.Code) {
      // What follows the language is for the tests that run the block.
      const [language = ''] = lang.split(' ')
      const code = highlighter.getLanguage(language)
        ? highlighter.highlight(text, { language, ignoreIllegals: true }).value
        : escapeHtml(text)
      return `<div class="code"><div class="code-head">${labels[language] ?? ''}</div><pre tabindex="0"><code>${code}\n</code></pre></div>\n`
    },
    table(token: Tokens.Table) {
      // A wide table scrolls inside itself instead of widening the page.
      const row = (cells: Tokens.TableCell[], tag: string) =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
      return `<div class="table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${token.rows.map((cells) => row(cells, 'td')).join('')}</tbody></table></div>\n`
    },
  },
})

/** Renders a page and returns its headings in order. */
export function renderMarkdown(markdown: string): { html: string; headings: Heading[] } {
  const html = marked.parse(markdown, { async: false })
  const headings = Array.from(
    html.matchAll(/<h(\d) id="([^"]*)"><a class="anchor"[^>]*>(.*?)<\/a><\/h\d>\n/g),
    ([, depth, anchor = '', text = '']) => ({ depth: Number(depth), anchor, html: text.replace(/<\/?a\b[^>]*>/g, '') }),
  )
  return { html, headings }
}

/** Matches white space, and the lines and arrows of drawings. */
const notWords = /[\s\u2500-\u25ff]+/g

export interface Section {
  readonly heading: string
  readonly anchor: string
  readonly text: string
}

/** Returns the sections of a page, from one heading to the next, as plain words for searching. */
export function sectionsOf(markdown: string): Section[] {
  const sections: { heading: string; anchor: string; words: string[] }[] = []
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading') {
      const heading = wordsOf([token]).trim()
      sections.push({
        heading,
        anchor: anchorOf(marked.parseInline((token as Tokens.Heading).text, { async: false })),
        words: [],
      })
    } else sections.at(-1)?.words.push(wordsOf([token]))
  }
  return sections.map(({ heading, anchor, words }) => ({
    heading,
    anchor,
    text: words.join(' ').replace(notWords, ' ').trim(),
  }))
}

/** Returns all words in the tokens: the visible text, without markup. */
function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table
        return [header, ...rows]
          .flat()
          .map((cell) => wordsOf(cell.tokens))
          .join(' ')
      }
      if (token.type === 'list') return (token as Tokens.List).items.map((item) => wordsOf(item.tokens)).join(' ')
      const inner = (token as { tokens?: Token[] }).tokens
      return inner ? wordsOf(inner) : ((token as { text?: string }).text ?? '')
    })
    .join(tokens.some(({ type }) => type === 'paragraph' || type === 'list') ? ' ' : '')
}
