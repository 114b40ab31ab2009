import { beforeAll, expect, test } from 'vitest'
import { addRule } from '../support/governed.ts'
import { environmentFor } from '../support/harness.ts'
import { useMoney } from '../support/money.ts'
import { eventually, type RunningRole, startRole } from '../support/processes.ts'
import { botToken, signingSecret, slackEnvironment, useSlack } from '../support/slack.ts'
import { call, keyOf } from '../support/tenants.ts'

/** The worker that keeps messages in Slack, killed while it speaks with it. */

const slack = useSlack()
const money = useMoney()
let startWorker: () => RunningRole
beforeAll(() => {
  startWorker = () =>
    startRole(
      'worker',
      environmentFor(money.server.database, {
        ...slackEnvironment,
        SVC_SLACK_API_URL: `${slack.url}/api`,
        SVC_WEBHOOK_TIMEOUT_SECONDS: '2',
      }),
    )
})

test('killed between the message and its record, and while it is updated: the next worker goes on, and the approval is shown as it is', async () => {
  const org = await money.org()
  await addRule(org, { effect: 'require_approval', reason: 'Ask first.' })
  await org.set('PUT', '/slack-app', { channel: 'C0123456789', signing_secret: signingSecret, bot_token: botToken })
  const agent = (await keyOf(money.server, org.id, { role: 'service', scopes: ['runs:write', 'edge:decide'] })).key
  let worker = startWorker()
  const killAt = (method: string) => {
    let isDone = false
    slack.misbehave((asked) => {
      if (asked.method !== method || isDone) return undefined
      isDone = true
      worker.process.kill('SIGKILL')
      return 'hang'
    })
  }
  killAt('chat.postMessage')
  const { json } = await call(money.server.url, 'POST', '/v1/runs', {
    key: agent,
    body: { model: 'gpt-4o', estimated_cost_usd: '0.05' },
  })
  const id = String(json.error?.details['approval_id'])
  await worker.exit
  expect(slack.messagesAbout(id)).toHaveLength(1)
  worker = startWorker()
  // Nobody knows of the first one: Slack has no name for a message before it answers.
  await eventually(() => slack.messagesAbout(id).length === 2)
  await eventually(
    async () =>
      (await org.rows<{ ts: string | null }>('select ts from slack_messages where org_id = $1'))[0]?.ts != null,
  )
  const [, kept] = slack.messagesAbout(id)
  killAt('chat.update')
  expect((await org.ask('POST', `/approvals/${id}/deny`, { note: 'No.' })).status).toBe(200)
  await worker.exit
  worker = startWorker()
  await eventually(() => slack.calls.filter(({ method }) => method === 'chat.update').length === 2)
  expect(kept?.text).toContain('Denied')
  expect(kept?.blocks.some(({ type }) => type === 'actions')).toBe(false)
  await eventually(
    async () =>
      (await org.rows<{ due_at: Date | null }>('select due_at from slack_messages where org_id = $1'))[0]?.due_at ===
      null,
  )
  expect(slack.messagesAbout(id)).toHaveLength(2)
  worker.process.kill('SIGTERM')
  expect(await worker.exit).toBe(0)
})
