export const escapeHtml = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')

const icon = (paths: string) =>
  `<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">${paths}</svg>`
const mark =
  '<svg class="mark" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="M2 2v16h16V2M2 6.500c2.700 0 2.700 1.800 5.300 1.800S10 6.500 12.700 6.500s2.600 1.800 5.300 1.800M2 11c2.700 0 2.700 1.800 5.300 1.800S10 11 12.700 11s2.600 1.800 5.300 1.800"/></svg>'
const menuIcon = icon('<path d="M2 4h12M2 8h12M2 12h12"/>')
const searchIcon = icon('<circle cx="7" cy="7" r="4.500"/><path d="m10.500 10.500 3.500 3.500"/>')

/** Elements in the head of every documentation page, including the API reference. */
export const headLinks = `<meta name="color-scheme" content="light dark">
<link rel="icon" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/style.css">
<script type="module" src="/docs/site.js"></script>`

export type DocsSection = 'guides' | 'reference'

/** Renders the bar on top of every page, and the search that opens from it. */
export function bar(section: DocsSection): string {
  const link = (href: string, name: string, own: DocsSection) =>
    `<a href="${href}"${own === section ? ' aria-current="true"' : ''}>${name}</a>`
  const menu =
    section === 'guides' ? `<button type="button" class="open-menu" popovertarget="menu">${menuIcon}Menu</button>` : ''
  return `<header class="bar">
<a class="brand" href="/docs">${mark}Weir</a>
<nav class="sections" aria-label="Documentation">${link('/docs', 'Guides', 'guides')}${link('/docs/reference/', 'API reference', 'reference')}</nav>
<button type="button" class="open-search" popovertarget="search" hidden>${searchIcon}<span>Search</span><kbd>/</kbd></button>
${menu}
</header>
<div id="search" popover role="dialog" aria-label="Search">
<input type="search" role="combobox" aria-label="Search the documentation" aria-controls="found" aria-expanded="false" aria-autocomplete="list" autocomplete="off" spellcheck="false" placeholder="Search guides and operations">
<ul id="found" role="listbox" aria-label="Results"></ul>
<p class="search-note" role="status"></p>
</div>`
}

export const shell = ({ title, section, body }: { title: string; section: DocsSection; body: string }) =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Weir</title>
${headLinks}
</head>
<body class="guide">
<a class="skip" href="#content">Skip to the content</a>
${bar(section)}
${body}
</body>
</html>
`
