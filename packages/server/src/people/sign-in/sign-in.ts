/** The checks of pages behind the sign-in, for the pages of the console. */
export type { SignInHooks } from './arrival.ts'
export { answerWithPages } from './error-pages.ts'
export { fileFormParser, formParser, maxConsoleFormBytes, maxFileFormBytes, shows, takesForm } from './forms.ts'
export { createInside, type LiveSession } from './inside.ts'
export { returnPath } from './return-path.ts'
