/** Refusals of the directory interface, with bodies by RFC 7644, section 3.12. */

export const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'

export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

/** Refusal of a request of a directory. */
export class ScimError extends Error {
  readonly status: number
  readonly scimType: ScimType | undefined

  constructor(status: number, detail: string, scimType?: ScimType) {
    super(detail)
    this.status = status
    this.scimType = scimType
  }
}

/** Returns a refusal as it is on the wire: its status is text. */
export const errorBody = (status: number, detail: string, scimType?: ScimType) => ({
  schemas: [errorSchema],
  status: String(status),
  ...(scimType && { scimType }),
  detail,
})

export const badFilter = (detail: string) => new ScimError(400, detail, 'invalidFilter')
export const badPath = (detail: string) => new ScimError(400, detail, 'invalidPath')
export const badSyntax = (detail: string) => new ScimError(400, detail, 'invalidSyntax')
export const badValue = (detail: string) => new ScimError(400, detail, 'invalidValue')
