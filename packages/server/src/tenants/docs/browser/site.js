/** Search, copy buttons and the place in the contents of a page. Everything else works without a script. */

const bySelector = (selector) => document.querySelector(selector)

/** Buttons that copy code as it stands. */
for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', () => void copy())
  async function copy() {
    await navigator.clipboard.writeText(block.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  }
  // Browsers give the clipboard to pages that came safely, and to this machine's own, only.
  if (navigator.clipboard) block.querySelector('.code-head').append(button)
}

/** The section that is being read is marked in the contents. */
const links = new Map(Array.from(document.querySelectorAll('aside.contents a'), (link) => [link.hash.slice(1), link]))
if (links.size > 0) {
  const headings = Array.from(links.keys(), (id) => document.getElementById(id)).filter(Boolean)
  const mark = () => {
    const passed = headings.findLast((heading) => heading.getBoundingClientRect().top < 120) ?? headings[0]
    for (const [id, link] of links) link.toggleAttribute('data-current', id === passed.id)
  }
  addEventListener('scroll', mark, { passive: true })
  mark()
}

const panel = bySelector('#search')
const field = bySelector('#search input')
const list = bySelector('#found')
const note = bySelector('.search-note')
const mostResults = 12

/** The index, loaded when it is first needed. */
let loading
const load = () =>
  (loading ??= (async () => {
    const [{ default: MiniSearch }, answer] = await Promise.all([
      import('/docs/minisearch.js'),
      fetch('/docs/search.json'),
    ])
    const fields = ['title', 'page', 'text']
    return MiniSearch.loadJSON(await answer.text(), { fields, storeFields: fields })
  })())

/** What surrounds the first word that was found. */
function excerpt(text, terms) {
  const lower = text.toLowerCase()
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0)
  const near = places.length > 0 ? Math.max(0, Math.min(...places) - 40) : 0
  const from = near > 0 ? text.indexOf(' ', near) + 1 : 0
  return (from > 0 ? '…' : '') + text.slice(from, from + 140) + (text.length > from + 140 ? '…' : '')
}

function element(name, text, className) {
  const made = document.createElement(name)
  made.textContent = text
  if (className) made.className = className
  return made
}

function show(results) {
  list.replaceChildren(
    ...results.slice(0, mostResults).map((result, place) => {
      const link = element('a', '')
      link.href = result.id
      link.tabIndex = -1
      link.append(
        element('span', result.title, 'found-title'),
        element('span', result.page === result.title ? '' : result.page, 'found-page'),
        element('span', excerpt(result.text, result.terms), 'found-text'),
      )
      const item = document.createElement('li')
      item.id = `found-${place}`
      item.setAttribute('role', 'option')
      item.append(link)
      return item
    }),
  )
  field.setAttribute('aria-expanded', String(results.length > 0))
  choose(0)
}

/** The chosen result; the arrow keys move it, Enter goes there. */
let chosen = 0
function choose(place) {
  const items = list.children
  if (items.length === 0) {
    field.removeAttribute('aria-activedescendant')
    return
  }
  chosen = (place + items.length) % items.length
  for (const [index, item] of Array.from(items).entries()) item.setAttribute('aria-selected', String(index === chosen))
  field.setAttribute('aria-activedescendant', items[chosen].id)
  items[chosen].scrollIntoView({ block: 'nearest' })
}

let asked = 0
async function search() {
  const question = field.value.trim()
  const turn = ++asked
  if (question === '') {
    show([])
    note.textContent = ''
    return
  }
  const index = await load().catch(() => undefined)
  if (turn !== asked) return
  if (!index) {
    loading = undefined
    note.textContent = 'The index could not be loaded. Try again in a moment.'
    return
  }
  const options = { prefix: true, fuzzy: (term) => (term.length > 4 ? 0.2 : false), boost: { title: 4, page: 2 } }
  const all = index.search(question, { ...options, combineWith: 'AND' })
  const results = all.length > 0 ? all : index.search(question, options)
  show(results)
  note.textContent = results.length === 0 ? `Nothing found for “${question}”.` : ''
}

bySelector('.open-search').hidden = false
field.addEventListener('input', search)
field.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') choose(chosen + 1)
  else if (event.key === 'ArrowUp') choose(chosen - 1)
  else if (event.key === 'Enter') list.children[chosen]?.querySelector('a').click()
  else return
  event.preventDefault()
})
panel.addEventListener('toggle', (event) => {
  if (event.newState !== 'open') return
  field.focus()
  field.select()
  load().catch(() => (loading = undefined))
})
// A result on the page that is open already leads there without loading it anew.
list.addEventListener('click', () => panel.hidePopover())
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]')
  const isJump = event.key === 'k' && (event.metaKey || event.ctrlKey)
  const isSlash = event.key === '/' && !isTyping && !event.metaKey && !event.ctrlKey && !event.altKey
  if (!isJump && !isSlash) return
  event.preventDefault()
  panel.showPopover()
})
