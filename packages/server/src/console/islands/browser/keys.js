// @ts-check
// Keys of the pages. None of them is the only way to anything, and none works while somebody types.

/** True for a key in a field; an editor has its own in a shadow root. @param {KeyboardEvent} event */
const isTyping = (event) => {
  const [target] = event.composedPath()
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

/** @param {string} id */
const openDialog = (id) => {
  const dialog = document.getElementById(id)
  if (dialog && !dialog.matches(':popover-open')) dialog.showPopover()
}

/** Links of rows, over which J and K walk. @returns {HTMLElement[]} */
const rowLinks = () => [...document.querySelectorAll('main tbody th a')].filter((link) => link instanceof HTMLElement)

/** @param {number} step */
function moveInList(step) {
  const links = rowLinks()
  const here = links.findIndex((link) => link === document.activeElement)
  links[Math.max(0, Math.min(links.length - 1, here < 0 ? 0 : here + step))]?.focus()
}

/** Milliseconds within which a letter must follow G or N. */
const chordMs = 1500
let pending = ''
let pendingSince = 0

/** @param {string} selector */
function follow(selector) {
  const link = document.querySelector(selector)
  if (link instanceof HTMLElement) link.click()
}

/** @type {Readonly<Record<string, () => void>>} */
const actions = {
  '?': () => openDialog('keys'),
  '/': () => {
    const find = document.querySelector('main input[type="search"]')
    if (find instanceof HTMLElement) find.focus()
    else openDialog('jump')
  },
  j: () => moveInList(1),
  k: () => moveInList(-1),
  n: () => follow('main .head .actions a.primary'),
}

/** Listens to the keys. */
export function listenToKeys() {
  document.addEventListener('keydown', (event) => {
    const key = event.key.toLowerCase()
    if (key === 'k' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      openDialog('jump')
      return
    }
    if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return
    const isChord = pending === 'g' && event.timeStamp - pendingSince < chordMs
    pending = ''
    if (isChord) follow(`[data-go="${CSS.escape(key)}"]`)
    else if (key === 'g') {
      pending = key
      pendingSince = event.timeStamp
    } else if (Object.hasOwn(actions, key)) {
      event.preventDefault()
      actions[key]?.()
    }
  })
}
