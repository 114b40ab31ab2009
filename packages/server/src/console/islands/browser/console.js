// @ts-check
// Makes pages faster that work without it. No part makes markup of text, so Trusted Types need no policy.
import { listenToKeys } from './keys.js'
import { followChanges } from './live.js'
import { fillPalette } from './palette.js'

/** A button that copies the text of the code beside it. */
class CopyButton extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector('button')
    const text = this.closest('.code')?.querySelector('code')?.textContent ?? ''
    if (!button) return
    button.hidden = false
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(text).then(() => button.classList.add('done'))
    })
  }
}
customElements.define('copy-button', CopyButton)

document.addEventListener('change', ({ target }) => {
  const form = target instanceof Element ? target.closest('form[data-submit-on-change]') : null
  if (form instanceof HTMLFormElement) form.requestSubmit()
})

// Large, and needed where a rule is written only.
if (document.querySelector('textarea[data-words]')) void import('./rule-editor.js')

listenToKeys()
fillPalette()
followChanges()
