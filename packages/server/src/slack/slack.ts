export { slackInteractions } from './interaction-routes.ts'
export { slackLinkPages } from './link-routes.ts'
export { followApprovals, startSlackMessages } from './message-worker.ts'
export { resealSlackSecrets } from './secrets.ts'
