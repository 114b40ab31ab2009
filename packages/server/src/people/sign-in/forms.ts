import { ApiError } from '../../contract/errors.ts'

const maxFormBytes = 8_192

/** Options of routes that show a page, and of those that take a form. */
export const shows = { config: { urgency: 'read' } } as const
export const takesForm = { bodyLimit: maxFormBytes, config: { urgency: 'change' } } as const

export const needsHttps =
  'Sessions need HTTPS, except on localhost. Set SVC_PUBLIC_URL to the https:// address under which this service is reached.'

export const foreignForm = () =>
  new ApiError(
    'forbidden',
    {},
    { message: 'This form was not sent by a page of this service. Open the page and try again.' },
  )
