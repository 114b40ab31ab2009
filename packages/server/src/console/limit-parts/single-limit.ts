import { type Content, type FormState, freshForm } from '../components/components.ts'
import {
  type ConsolePage,
  type ConsoleRoutes,
  type FormValues,
  formPage,
  questionPage,
  refusedForm,
  type Visit,
} from '../frame/frame.ts'

/** A limit that an organization has once or not at all: the form that sets it, and the question before it is removed. */
export interface SingleLimit {
  /** Path of the form; that of the question ends in `/delete`. */
  readonly path: string
  /** Path of the page that shows the limit. */
  readonly home: string
  readonly form: {
    readonly title: string
    readonly sub: string
    readonly body: (state: FormState) => Content
    readonly submit: string
  }
  readonly question: { readonly title: string; readonly body: Content; readonly submit: string }
  /** Returns the fields of the form as the limit stands. */
  readonly read: (visit: Visit) => Promise<FormValues>
  readonly set: (visit: Visit, values: FormValues) => Promise<unknown>
  readonly remove: (visit: Visit) => Promise<unknown>
}

/** Adds the pages and actions of a single limit. */
export function singleLimitPages({ page, action }: ConsoleRoutes, limit: SingleLimit) {
  const { path, home, form, question } = limit
  const show = (visit: Visit, state: FormState): ConsolePage =>
    formPage(visit, state, { ...form, body: form.body(state), here: home, action: path, cancel: home })
  page(path, async (visit) => show(visit, freshForm(await limit.read(visit))))
  action(path, async (visit, values) => {
    try {
      await limit.set(visit, values)
      return `${home}?done=set`
    } catch (error) {
      return show(visit, refusedForm(error, values))
    }
  })
  page(`${path}/delete`, async (visit) =>
    questionPage(visit, { ...question, here: home, action: `${path}/delete`, cancel: home }),
  )
  action(`${path}/delete`, async (visit) => {
    await limit.remove(visit)
    return `${home}?done=removed`
  })
}
