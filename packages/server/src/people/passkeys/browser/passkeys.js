// Lets an authenticator answer the forms of a page that ask for a passkey. A form says with `data-passkey` whether one is made or used,
// and with `data-options` where its question comes from; the answer is sent as its field `answer`.

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
const textOf = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const described = (list = []) => list.map((item) => ({ ...item, id: bytesOf(item.id) }))

async function made(options) {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: described(options.excludeCredentials),
  }
  const { id, rawId, type, response } = await navigator.credentials.create({ publicKey })
  return {
    id,
    rawId: textOf(rawId),
    type,
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
    },
  }
}

async function used(options) {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    allowCredentials: described(options.allowCredentials),
  }
  const { id, rawId, type, response } = await navigator.credentials.get({ publicKey })
  return {
    id,
    rawId: textOf(rawId),
    type,
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      authenticatorData: textOf(response.authenticatorData),
      signature: textOf(response.signature),
      userHandle: response.userHandle ? textOf(response.userHandle) : '',
    },
  }
}

const faults = {
  NotAllowedError: 'Nothing was chosen, or it took too long. Try again.',
  InvalidStateError: 'This device has a passkey for you already.',
  NotSupportedError: 'This device cannot keep a passkey of the kind that is needed.',
  SecurityError: 'Passkeys work on the address of this service only. Check the address of this page.',
}

async function answer(form) {
  const fields = new URLSearchParams(new FormData(form))
  const response = await fetch(form.dataset.options, { method: 'POST', body: fields })
  if (!response.ok) throw new Error('The page is too old. Load it again.')
  const options = await response.json()
  form.elements.answer.value = JSON.stringify(await (form.dataset.passkey === 'create' ? made(options) : used(options)))
  form.submit()
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!window.PublicKeyCredential) continue
  form.hidden = false
  const alert = form.querySelector('[role=alert]')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const button = form.querySelector('button')
    button.disabled = true
    alert.textContent = ''
    answer(form).catch((error) => {
      button.disabled = false
      alert.textContent = faults[error.name] ?? error.message
    })
  })
}
