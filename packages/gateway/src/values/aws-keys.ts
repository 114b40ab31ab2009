/** Keys of Amazon. */
export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Reads keys as `aws configure export-credentials` writes them; what it throws says nothing of what is in them. */
export function parseAwsKeys(text: string): AwsKeys {
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new Error('exported keys of Amazon must be JSON')
  }
  const { AccessKeyId: id, SecretAccessKey: secret, SessionToken: session } = fields
  if (typeof id !== 'string' || typeof secret !== 'string')
    throw new Error('exported keys of Amazon must have AccessKeyId and SecretAccessKey')
  return { accessKeyId: id, secretAccessKey: secret, ...(typeof session === 'string' && { sessionToken: session }) }
}
