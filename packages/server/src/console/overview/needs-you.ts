import { dayMs } from '../../values/time.ts'
import {
  blank,
  type Content,
  counted,
  html,
  type IconName,
  icon,
  joined,
  linkButton,
  moneyText,
  nothing,
  section,
} from '../components/components.ts'
import type { Visit } from '../frame/frame.ts'
import { isStopped } from '../limit-parts/limit-parts.ts'
import type { OverviewData } from './overview-data.ts'

/** Something that somebody must do. */
interface Task {
  readonly icon: IconName
  readonly tone?: 't-stop' | 't-warn'
  readonly what: string
  readonly why: Content
  readonly href: string
  readonly action: string
}

const shownTasks = 8
const keyNoticeDays = 7

/** List of what waits for a person: stopped budgets, approvals, models without a price, failing webhooks, keys that end. */
export function needsYou(data: OverviewData, visit: Visit): Content {
  const tasks = [
    ...stoppedTasks(data, visit),
    ...approvalTasks(visit),
    ...priceTasks(data, visit),
    ...webhookTasks(data, visit),
    ...keyTasks(data, visit),
  ]
  const gaps = gapsText(data, visit)
  return section(
    'Needs you',
    html`${
      tasks.length > 0
        ? html`<ul class="todo">${tasks.slice(0, shownTasks).map(entry)}</ul>`
        : gaps === ''
          ? blank(
              'Nothing needs you',
              'What is stopped, what waits for approval and what is about to end is listed here.',
            )
          : nothing
    }${gaps === '' ? nothing : html`<p class="small dim">${gaps}</p>`}`,
    tasks.length === 0 ? nothing : `${tasks.length} open`,
  )
}

/** Returns what the list may lack: parts that could not be read, or not to their end. Nobody is told then that nothing needs them. */
function gapsText({ budgets, prices, webhooks, keys }: OverviewData, { waiting, may }: Visit): string {
  const parts = Object.entries({ budgets, prices, webhooks, keys })
  const unread = parts.flatMap(([name, part]) => (part?.fault && part.fault.status !== 403 ? [name] : []))
  if (waiting === undefined && may('policies:read')) unread.push('approvals')
  return [
    unread.length === 0 ? '' : `Could not be read just now: ${unread.join(', ')}.`,
    budgets?.value && budgets.value.next_cursor !== null ? `Of the first ${budgets.value.data.length} budgets.` : '',
  ]
    .filter(Boolean)
    .join(' ')
}

const entry = ({ icon: name, tone, what, why, href, action }: Task) =>
  html`<li>${tone === undefined ? icon(name) : html`<span class="${tone}">${icon(name)}</span>`}<div><p class="what"><a href="${href}">${what}</a></p><p>${why}</p></div>${linkButton(href, action, { kind: 'sm', of: what })}</li>`

const stoppedTasks = ({ budgets }: OverviewData, { times, may }: Visit): readonly Task[] =>
  (budgets?.value?.data ?? []).filter(isStopped).map((budget) => ({
    icon: 'stop',
    tone: 't-stop',
    what: `${budget.name} is stopped`,
    why: html`Budget used up${budget.exhausted_at === null ? nothing : html` since ${times.time(budget.exhausted_at)}`}. ${counted(budget.refused_count, 'call')} refused.`,
    ...(may('limits:write', 'admin')
      ? { href: `/console/budgets/${budget.id}/edit`, action: 'Raise' }
      : { href: `/console/budgets/${budget.id}`, action: 'Look' }),
  }))

function approvalTasks({ waiting, times }: Visit): readonly Task[] {
  const list = (waiting?.data ?? []).toSorted((a, b) => a.created_at.localeCompare(b.created_at))
  const [oldest] = list
  if (oldest === undefined) return []
  return [
    {
      icon: 'approvals',
      what: list.length === 1 ? '1 run waits for approval' : `${list.length} runs wait for approval`,
      why: html`Oldest: ${oldest.attempted}, ${moneyText(oldest.estimated_cost_usd)}, ${times.passed(oldest.created_at)}.`,
      href: '/console/approvals',
      action: 'Review',
    },
  ]
}

function priceTasks({ prices }: OverviewData, _visit: Visit): readonly Task[] {
  const models = prices?.value?.unpriced_models ?? []
  if (models.length === 0) return []
  const named = models.slice(0, 3).map(({ model }, index) => html`${index > 0 ? ', ' : ''}<code>${model}</code>`)
  return [
    {
      icon: 'warn',
      tone: 't-warn',
      what: models.length === 1 ? '1 model has no price' : `${models.length} models have no price`,
      why: html`${joined(named)}${models.length > 3 ? ` and ${models.length - 3} more` : ''}`,
      href: '/console/prices',
      action: 'Price',
    },
  ]
}

const webhookTasks = ({ webhooks }: OverviewData, { times }: Visit): readonly Task[] =>
  (webhooks?.value?.data ?? [])
    .filter(({ health }) => health.status === 'failing')
    .map(({ id, url, description, health }) => ({
      icon: 'webhooks',
      tone: 't-stop',
      what: `Webhook ${description === '' ? new URL(url).host : description} fails`,
      why: html`${counted(health.consecutive_failures, 'failure')}${health.failing_since === null ? nothing : html` since ${times.time(health.failing_since)}`}. ${counted(health.pending, 'event')} wait.`,
      href: `/console/webhooks/${id}`,
      action: 'Look',
    }))

const keyTasks = ({ keys }: OverviewData, { times }: Visit): readonly Task[] =>
  (keys?.value?.data ?? [])
    .filter(
      ({ expires_at: end, last_used_at: used, rotated_to: next }) =>
        end !== null &&
        used !== null &&
        next === null &&
        new Date(end).getTime() - times.now.getTime() < keyNoticeDays * dayMs,
    )
    .map(({ id, name, expires_at: end, last_used_at: used }) => ({
      icon: 'keys',
      what: `Key “${name}” ends ${times.day(end ?? '')}`,
      why: html`Used ${times.passed(used ?? '')}. Rotate it before ${times.long(end ?? '')}.`,
      href: `/console/keys/${id}`,
      action: 'Rotate',
    }))
