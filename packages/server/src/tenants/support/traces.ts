import type { ChangeTools } from '../../access/changes/changes.ts'

/** Ends what was made under a grant, in the transaction that ends the grant. */
export type EndTraces = (
  tools: Pick<ChangeTools, 'tx' | 'audit' | 'emit'>,
  orgId: string,
  grantId: string,
) => Promise<void>
