import {
  actionButton,
  type Content,
  code,
  type FormState,
  form,
  html,
  linkButton,
  note,
  nothing,
  pageHead,
} from '../components/components.ts'
import type { ConsolePage } from './page-frame.ts'
import type { Visit } from './visit.ts'

/** A question before something that cannot be undone, and its two answers. */
export interface Question {
  readonly title: string
  readonly here: string
  /** Consequences, in sentences. */
  readonly body: Content
  /** Path that takes the answer. */
  readonly action: string
  readonly submit: string
  /** Address where everything stays as it is. */
  readonly cancel: string
  readonly keep?: string
  readonly fields?: Readonly<Record<string, string>>
}

/** A page that asks before something is done that cannot be undone. */
export const questionPage = (
  { formKeys }: Visit,
  { title, here, body, action, submit, cancel, keep = 'Keep it', fields = {} }: Question,
): ConsolePage => ({
  title,
  here,
  body: html`${pageHead(title)}<div class="narrow-col stack">${body}<div class="actions">${actionButton(formKeys, action, submit, { kind: 'danger solid', fields })}${linkButton(cancel, keep)}</div></div>`,
})

/** A page that shows a secret, which nobody can see again. */
export const secretPage = ({
  title,
  here,
  heading,
  secret,
  body = nothing,
  back,
}: {
  readonly title: string
  readonly here: string
  /** Name of the secret, such as "Key". */
  readonly heading: string
  readonly secret: string
  readonly body?: Content
  /** Link to go on with. */
  readonly back: { readonly href: string; readonly text: string }
}): ConsolePage => ({
  title,
  here,
  body: html`${pageHead(title)}<div class="narrow-col stack">${note('info', html`<b>Copy it now.</b> It is shown this once and cannot be shown again.`)}${code(heading, secret, heading.toLowerCase())}${body}<div class="actions">${linkButton(back.href, back.text, { kind: 'primary' })}</div></div>`,
})

/** A page that is a form. */
export const formPage = (
  { formKeys }: Visit,
  state: FormState,
  {
    title,
    sub = nothing,
    here,
    action,
    body,
    submit,
    cancel,
    kind = 'primary',
  }: {
    readonly title: string
    readonly sub?: Content
    readonly here: string
    readonly action: string
    readonly body: Content
    readonly submit: string
    readonly cancel: string
    readonly kind?: string
  },
): ConsolePage => ({
  title,
  here,
  status: formStatus(state),
  body: html`${pageHead(title, sub)}${form(formKeys, action, state, body, { submit, cancel, kind })}`,
})

/** Returns the status of a page with a form: 422 where the form was refused. */
export const formStatus = ({ faults, fault }: FormState): 200 | 422 =>
  Object.keys(faults).length > 0 || fault !== undefined ? 422 : 200
