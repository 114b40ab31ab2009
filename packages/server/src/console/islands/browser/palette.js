// @ts-check
// The jump list: pages of the navigation by a part of their name. An id, and whatever is no page, is for /console/search.

const dialog = document.getElementById('jump')
const input = document.getElementById('jump-q')
const list = document.getElementById('jump-list')

const pages = [...document.querySelectorAll('#nav a.item')].flatMap((link) => {
  if (!(link instanceof HTMLAnchorElement)) return []
  // Its name without the count beside it.
  const name = [...link.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.nodeValue)
  return [{ href: link.href, name: name.join('').trim(), key: link.dataset['go'] }]
})

/** @param {{ href: string, name: string, key: string | undefined }} page */
function entryOf({ href, name, key }) {
  const entry = document.createElement('li')
  const link = document.createElement('a')
  link.href = href
  link.append(name)
  if (key !== undefined) {
    const hint = document.createElement('span')
    hint.append(`G ${key.toUpperCase()}`)
    link.append(hint)
  }
  entry.append(link)
  return entry
}

function fill() {
  if (!(input instanceof HTMLInputElement) || !list) return
  const wanted = input.value.trim().toLowerCase()
  list.replaceChildren(...pages.filter(({ name }) => name.toLowerCase().includes(wanted)).map(entryOf))
}

/** @returns {HTMLElement[]} */
const links = () => [...(list?.querySelectorAll('a') ?? [])]

/** @param {number} step */
function move(step) {
  const all = links()
  const here = all.findIndex((link) => link === document.activeElement)
  const next = here + step
  if (next < 0) input?.focus()
  else all[Math.min(next, all.length - 1)]?.focus()
}

/** Fills the jump list as somebody types. */
export function fillPalette() {
  // Before it shows: a key pressed at once finds the list full.
  dialog?.addEventListener('beforetoggle', () => fill())
  input?.addEventListener('input', () => fill())
  dialog?.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      move(event.key === 'ArrowDown' ? 1 : -1)
    }
  })
  input?.closest('form')?.addEventListener('submit', (event) => {
    const [first] = links()
    const isPage = input instanceof HTMLInputElement && input.value.trim() !== ''
    if (!first || !isPage) return
    event.preventDefault()
    first.click()
  })
}
