import { reportError } from '../../contract/envelope.ts'
import { type ApiError, isApiError } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import { sendPage } from '../pages/pages.ts'
import { returnPath } from './return-path.ts'
import { endedPage, faultPage } from './sign-in-pages.ts'

const isEnded = (error: ApiError) => isApiError(error, 'session_revoked')

/** Answers every error of these routes with a page that says what to do. */
export function answerWithPages(app: App, { log }: Platform) {
  app.setErrorHandler((thrown: unknown, request, reply) => {
    const error = reportError(log, thrown, request)
    if (isEnded(error))
      return sendPage(reply, endedPage(request.id, request.method === 'GET' ? returnPath(request.url) : undefined))
    const title = error.status === 404 ? 'There is no such page' : error.status < 500 ? 'Not allowed' : 'This failed'
    return sendPage(reply, faultPage(title, error.message, error.status, error.code, request.id))
  })
}
