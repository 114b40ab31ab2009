// @ts-check
// Keeps parts of a page up to date that have data-live="budgets refusals …" and an id. The events say only that something has changed; what
// is shown comes from the page itself, read again with the rights of its reader. A document that a request has parsed needs no Trusted Types
// policy, and runs no script.

/** Least time between two reads of the page. */
const restMs = 15_000
/** Time without a key or a pointer after which the page no longer asks: an open tab must not keep a session alive. */
const idleMs = 300_000

/** Parts that are renewed; one that has others in it is not. @returns {HTMLElement[]} */
const regions = () =>
  [...document.querySelectorAll('[data-live][id]')].filter(
    /** @returns {one is HTMLElement} */
    (one) => one instanceof HTMLElement && !one.querySelector('[data-live]'),
  )

/** True while somebody reads or uses a part: nothing moves under a pointer. @param {HTMLElement} region */
const isInUse = (region) =>
  region.contains(document.activeElement) || [...region.querySelectorAll('tr, li')].some((row) => row.matches(':hover'))

/** Reads the page again; those who have heard of the same revisions share what it shows. @param {string} heard @returns {Promise<Document | null>} */
const readPage = (heard) =>
  new Promise((resolve) => {
    const from = document.querySelector('[data-from]')?.getAttribute('data-from')
    const request = new XMLHttpRequest()
    request.open('GET', from ?? location.href)
    request.setRequestHeader('x-weir-revision', heard)
    request.responseType = 'document'
    request.addEventListener('loadend', () => resolve(request.status === 200 ? request.responseXML : null))
    request.send()
  })

/** Puts the new state of a part in place of the old one, or offers it. @param {HTMLElement} region @param {HTMLElement} next */
function renew(region, next) {
  if (region.textContent === next.textContent) return
  if (!isInUse(region)) {
    region.replaceWith(document.adoptNode(next))
    return
  }
  if (region.previousElementSibling?.classList.contains('live-note')) return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'btn sm live-note'
  button.append('Numbers have changed: show them')
  button.addEventListener('click', () => {
    button.remove()
    region.replaceWith(document.adoptNode(next))
  })
  region.before(button)
}

/** Follows the events while the page is seen and used. */
export function followChanges() {
  if (regions().length === 0) return
  /** @type {EventSource | undefined} */
  let source
  /** @type {Record<string, string>} */
  let known = {}
  let usedAt = performance.now()
  let readAt = -restMs

  /** @param {MessageEvent<string>} event */
  async function onRevisions({ data }) {
    if (performance.now() - usedAt > idleMs) {
      stop()
      return
    }
    /** @type {Record<string, string>} */
    const next = JSON.parse(data)
    const changed = Object.keys(next).filter((name) => known[name] !== undefined && known[name] !== next[name])
    const isDue = performance.now() - readAt >= restMs
    // A sign that is missing could not be read: what was known before it is compared with the next one.
    if (changed.length === 0 || isDue) known = { ...known, ...next }
    if (changed.length === 0 || !isDue) return
    readAt = performance.now()
    const page = await readPage(Object.values(next).join(''))
    for (const region of regions()) {
      const isAbout = region.dataset['live']?.split(' ').some((name) => changed.includes(name)) ?? false
      const next = page?.getElementById(region.id)
      if (isAbout && next instanceof HTMLElement) renew(region, next)
    }
  }
  function start() {
    if (source || document.hidden) return
    source = new EventSource('/console/live')
    source.addEventListener('revisions', (event) => {
      void onRevisions(event)
    })
  }
  function stop() {
    source?.close()
    source = undefined
  }
  for (const type of ['keydown', 'pointerdown', 'pointermove'])
    document.addEventListener(type, () => {
      usedAt = performance.now()
      start()
    })
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : start()))
  start()
}
