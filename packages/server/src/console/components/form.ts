import { icon } from './icons.ts'
import { type Content, html, type Markup, nothing, when } from './markup.ts'

/** A form as it was sent, or as it is first shown; and what is wrong with it. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>
  /** Messages by the field that they are about. */
  readonly faults: Readonly<Record<string, string>>
  /** Message about the whole form. */
  readonly fault?: string | undefined
}

export const freshForm = (values: Readonly<Record<string, string>> = {}): FormState => ({ values, faults: {} })

interface FieldOptions {
  readonly name: string
  readonly label: string
  readonly hint?: Content
  /** True for a field that may be left empty; said at its label. */
  readonly isOptional?: boolean
}

/** Attributes that tie a control to its messages. */
const ties = ({ faults }: FormState, { name, hint }: FieldOptions): Markup => {
  const described = [faults[name] === undefined ? '' : `f-${name}-e`, hint === undefined ? '' : `f-${name}-h`]
    .filter(Boolean)
    .join(' ')
  return html` id="f-${name}" name="${name}"${faults[name] === undefined ? nothing : html` aria-invalid="true"`}${
    described === '' ? nothing : html` aria-describedby="${described}"`
  }`
}

/** A field: its label above, its hint below, and what is wrong below that. */
const field = ({ faults }: FormState, { name, label, hint, isOptional }: FieldOptions, control: Content): Markup =>
  html`<div class="field${faults[name] === undefined ? '' : ' bad'}"><label for="f-${name}">${label}${isOptional ? html` <span class="faint">optional</span>` : nothing}</label>${control}${when(
    hint,
    (text) => html`<p class="hint" id="f-${name}-h">${text}</p>`,
  )}${when(faults[name], (text) => html`<p class="err" id="f-${name}-e">${icon('stop')}${text}</p>`)}</div>`

/** A field for a line of text. A secret that was typed is not sent back. */
export const textField = (
  state: FormState,
  options: FieldOptions & {
    readonly type?: 'text' | 'email' | 'date' | 'datetime-local' | 'number' | 'url' | 'password' | 'search'
    readonly placeholder?: string
    readonly prefix?: string
    readonly isRequired?: boolean
  },
): Markup => {
  const input = html`<input class="in" type="${options.type ?? 'text'}"${ties(state, options)} value="${options.type === 'password' ? '' : (state.values[options.name] ?? '')}"${when(
    options.placeholder,
    (text) => html` placeholder="${text}"`,
  )}${options.isRequired ? html` required` : nothing} autocomplete="off">`
  return field(
    state,
    options,
    options.prefix === undefined ? input : html`<div class="prefix"><span>${options.prefix}</span>${input}</div>`,
  )
}

/** A field for several lines of text. */
export const textArea = (
  state: FormState,
  options: FieldOptions & { readonly rows?: number; readonly isCode?: boolean },
): Markup =>
  field(
    state,
    options,
    html`<textarea class="in${options.isCode ? ' mono' : ''}" rows="${options.rows ?? 3}"${ties(state, options)} spellcheck="${options.isCode ? 'false' : 'true'}">${state.values[options.name] ?? ''}</textarea>`,
  )

/** A field for a file; of JSON, unless it accepts others. */
export const fileField = (state: FormState, options: FieldOptions & { readonly accept?: string }): Markup =>
  field(
    state,
    options,
    html`<input class="in" type="file" accept="${options.accept ?? '.json,application/json'}"${ties(state, options)}>`,
  )

/** The field of a form in which somebody says why, for the audit log. */
export const reasonField = (state: FormState): Markup =>
  textField(state, { name: 'reason', label: 'Why, for the audit log', isOptional: true })

/** A choice: its value, and the words for it. */
export interface FieldChoice {
  readonly value: string
  readonly text: string
  /** Its consequence, in a sentence. */
  readonly consequence?: string
}

/** A choice from a list. */
export const selectField = (
  state: FormState,
  options: FieldOptions & { readonly choices: readonly FieldChoice[] },
): Markup =>
  field(
    state,
    options,
    html`<select class="in"${ties(state, options)}>${options.choices.map(
      ({ value, text }) =>
        html`<option value="${value}"${state.values[options.name] === value ? html` selected` : nothing}>${text}</option>`,
    )}</select>`,
  )

const radios = (
  state: FormState,
  name: string,
  choices: readonly FieldChoice[],
  show: (choice: FieldChoice, input: Markup) => Markup,
) =>
  choices.map((choice, index) => {
    const chosen = state.values[name] ?? choices[0]?.value
    return show(
      choice,
      html`<input type="radio" name="${name}" value="${choice.value}"${index === 0 ? html` id="f-${name}"` : nothing}${chosen === choice.value ? html` checked` : nothing}>`,
    )
  })

/** A choice of few, in a row. */
export const segmentField = (
  state: FormState,
  { name, label, choices }: FieldOptions & { readonly choices: readonly FieldChoice[] },
): Markup =>
  html`<fieldset><legend>${label}</legend><div class="seg">${radios(state, name, choices, ({ text }, input) => html`<label>${input}${text}</label>`)}</div>${when(
    state.faults[name],
    (text) => html`<p class="err" id="f-${name}-e">${icon('stop')}${text}</p>`,
  )}</fieldset>`

/** A choice with consequences, a sentence each. */
export const optionField = (
  state: FormState,
  { name, label, choices }: FieldOptions & { readonly choices: readonly FieldChoice[] },
): Markup =>
  html`<fieldset><legend>${label}</legend><div class="opts">${radios(
    state,
    name,
    choices,
    ({ text, consequence }, input) =>
      html`<label class="opt">${input}<span>${text}${when(consequence, (words) => html`<small>${words}</small>`)}</span></label>`,
  )}</div></fieldset>`

/** Boxes to tick, of which any number may be; a form has their values joined by commas. */
export const checkGroup = (
  state: FormState,
  { name, label, hint, choices }: FieldOptions & { readonly choices: readonly FieldChoice[] },
): Markup => {
  const ticked = new Set((state.values[name] ?? '').split(','))
  return html`<fieldset class="all"><legend>${label}</legend>${when(hint, (text) => html`<p class="hint">${text}</p>`)}<div class="checks">${choices.map(
    ({ value, text }, index) =>
      html`<label class="opt"><input type="checkbox" name="${name}" value="${value}"${index === 0 ? html` id="f-${name}"` : nothing}${ticked.has(value) ? html` checked` : nothing}><span>${text}</span></label>`,
  )}</div>${when(state.faults[name], (text) => html`<p class="err" id="f-${name}-e">${icon('stop')}${text}</p>`)}</fieldset>`
}

/** A box to tick. */
export const checkField = (state: FormState, { name, label, hint }: FieldOptions): Markup =>
  html`<div class="field check"><label for="f-${name}"><input type="checkbox" id="f-${name}" name="${name}" value="true"${state.values[name] === 'true' ? html` checked` : nothing}> ${label}</label>${when(
    hint,
    (text) => html`<p class="hint">${text}</p>`,
  )}</div>`

/** The summary of what is wrong with a form, with links to the fields; it takes the focus. */
export function faultSummary({ faults, fault }: FormState): Content {
  const names = Object.keys(faults)
  if (fault === undefined && names.length === 0) return nothing
  const heading =
    fault ?? (names.length === 1 ? 'One field needs your attention.' : `${names.length} fields need your attention.`)
  return html`<div class="note stop all" role="alert" tabindex="-1" autofocus><b class="t-stop">${heading}</b> ${names.map(
    (name, i) => html`${i > 0 ? ', ' : ''}<a href="#f-${name}">${name.replaceAll(/[_.]/g, ' ')}</a>`,
  )}</div>`
}

/** Fields that every form of a session has: its CSRF token, and the key under which two submissions are one. */
export interface FormKeys {
  readonly csrfToken: string
  readonly idempotencyKey: string
}

/** A form that changes something. */
export const form = (
  { csrfToken, idempotencyKey }: FormKeys,
  action: string,
  state: FormState,
  body: Content,
  {
    submit,
    kind = 'primary',
    cancel,
    cancelText = 'Cancel',
    takesFile = false,
  }: {
    readonly submit: string
    readonly kind?: string
    readonly cancel?: string
    readonly cancelText?: string
    /** True for a form with a file in it. */
    readonly takesFile?: boolean
  },
): Markup =>
  html`<form class="form gap16" method="post" action="${action}"${takesFile ? html` enctype="multipart/form-data"` : nothing} novalidate><input type="hidden" name="csrf_token" value="${csrfToken}"><input type="hidden" name="idempotency_key" value="${state.values['idempotency_key'] ?? idempotencyKey}">${faultSummary(state)}${body}<div class="end-row left all"><button class="btn ${kind}" type="submit">${submit}</button>${when(
    cancel,
    (href) => html`<a class="btn quiet" href="${href}">${cancelText}</a>`,
  )}</div></form>`

/** A form that is only a button, for a row or a note. */
export const actionButton = (
  { csrfToken, idempotencyKey }: FormKeys,
  action: string,
  text: string,
  {
    kind = 'sm',
    of,
    fields = {},
  }: { readonly kind?: string; readonly of?: string; readonly fields?: Readonly<Record<string, string>> } = {},
): Markup =>
  html`<form class="inline" method="post" action="${action}"><input type="hidden" name="csrf_token" value="${csrfToken}"><input type="hidden" name="idempotency_key" value="${idempotencyKey}">${Object.entries(
    fields,
  ).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="btn ${kind}" type="submit">${text}${when(of, (name) => html`<span class="hidden"> ${name}</span>`)}</button></form>`
