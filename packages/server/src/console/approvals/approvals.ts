import type { ConsoleRoutes } from '../frame/frame.ts'
import { approvalInbox } from './approval-inbox.ts'
import { approvalPage, approveRequest, denyPage, denyRequest, revokeGrant, revokePage } from './approval-page.ts'
import { approveProposal, denyProposal } from './proposal-section.ts'

/** Pages of approvals: the inbox, one request, and the decisions on it. */
export function approvalPages({ page, action }: ConsoleRoutes) {
  page('/console/approvals', approvalInbox)
  page('/console/approvals/:approval_id', approvalPage)
  action('/console/approvals/:approval_id/approve', approveRequest)
  page('/console/approvals/:approval_id/deny', (visit) => denyPage(visit))
  action('/console/approvals/:approval_id/deny', denyRequest)
  page('/console/approvals/:approval_id/revoke', revokePage)
  action('/console/approvals/:approval_id/revoke', revokeGrant)
  action('/console/approvals/proposals/:proposal_id/approve', approveProposal)
  action('/console/approvals/proposals/:proposal_id/deny', denyProposal)
}
