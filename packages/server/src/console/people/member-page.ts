import type { Schemas } from '../api/api.ts'
import {
  actionButton,
  counted,
  facts,
  html,
  linkButton,
  note,
  nothing,
  pageHead,
  section,
} from '../components/components.ts'
import {
  type ConsolePage,
  messageIn,
  type Part,
  part,
  questionPage,
  secretPage,
  shown,
  type Visit,
} from '../frame/frame.ts'
import { memberBadge, memberName } from './member-list.ts'
import { here } from './people-tabs.ts'

type Member = Schemas['Member']

const done: Readonly<Record<string, string>> = {
  changed: 'The change binds their next request.',
  invited: 'They sign in with your identity provider, under this address. There is no link.',
}

/** Returns the member that the path names. */
export const readMember = ({ api, params }: Visit): Promise<Member> =>
  api.get('/v1/orgs/{id}/members/{member_id}', { path: { member_id: params['member_id'] ?? '' } })

const keysOf = ({ api, params }: Visit) =>
  part(api.get('/v1/orgs/{id}/keys', { query: { owner_id: params['member_id'] ?? '', status: 'active', limit: 100 } }))
const sessionsOf = ({ api, params }: Visit) =>
  part(
    api.get('/v1/orgs/{id}/sessions', {
      query: { member_id: params['member_id'] ?? '', status: 'active', limit: 100 },
    }),
  )

type KeysPart = Awaited<ReturnType<typeof keysOf>>

const keyNames = (keys: KeysPart, visit: Visit) =>
  shown(keys as Part<{ data: Schemas['Key'][] }>, visit, ({ data }) =>
    data.length === 0
      ? html`<p class="dim gap16">none</p>`
      : html`<ul class="plain-list">${data.map(({ id, name, role }) => html`<li><a href="/console/keys/${id}">${name}</a> <span class="dim">${role}</span></li>`)}</ul>`,
  )

/** One member: their role, and the keys and sessions that end with them. */
export async function memberPage(visit: Visit): Promise<ConsolePage> {
  const { times, may, query, formKeys, params } = visit
  const [member, keys, sessions] = await Promise.all([readMember(visit), keysOf(visit), sessionsOf(visit)])
  const mayChange = may('members:write', 'admin') && member.status !== 'removed'
  const message = messageIn(done, query)
  return {
    title: memberName(member),
    here,
    body: html`${pageHead(
      member.status === 'active' ? memberName(member) : html`${memberName(member)} ${memberBadge(member)}`,
      member.name === '' ? member.role : `${member.role}, ${member.email}`,
      mayChange ? linkButton(`${here}/${member.id}/edit`, 'Change', { kind: 'primary' }) : nothing,
    )}${message === undefined ? nothing : note('info', message)}${section(
      'About this member',
      facts([
        ['Id', html`<code>${member.id}</code>`],
        ['Invited', times.time(member.created_at)],
        ['Joined', member.accepted_at === null ? 'not yet' : times.time(member.accepted_at)],
        ...(member.external_id === null
          ? []
          : [['Id in the directory', html`<code>${member.external_id}</code>`] as const]),
        ...(member.deactivated_at === null
          ? []
          : [['Deactivated by the directory', times.time(member.deactivated_at)] as const]),
        ...(member.removed_at === null ? [] : [['Removed', times.time(member.removed_at)] as const]),
      ]),
    )}${section('Keys that they answer for', keyNames(keys, visit), may('keys:write', 'admin') && mayChange ? linkButton(`/console/keys/new?owner_id=${member.id}`, 'New key', { kind: 'sm' }) : nothing)}${section(
      'Signed in',
      shown(sessions as Part<{ data: unknown[] }>, visit, ({ data }) =>
        data.length === 0
          ? html`<p class="dim gap16">nowhere</p>`
          : html`<p class="gap16">${counted(data.length, 'session')}. <a href="/console/sessions?member_id=${params['member_id'] ?? ''}">See and end them</a></p>`,
      ),
    )}${
      mayChange
        ? html`<div class="actions gap">${member.status === 'invited' ? actionButton(formKeys, `${here}/${member.id}/invitation`, 'Make a new link', { kind: '' }) : nothing}${linkButton(`${here}/${member.id}/remove`, 'Remove', { kind: 'danger', of: memberName(member) })}</div>`
        : nothing
    }`,
  }
}

/** The page that shows the link of an invitation; or leads to the member where there is none. */
export const invitationPage = (member: Schemas['InvitedMember'], visit: Visit): string | ConsolePage =>
  member.invitation === null
    ? `${here}/${member.id}?done=invited`
    : secretPage({
        title: `Invitation for ${member.email}`,
        here,
        heading: 'Link',
        secret: member.invitation.url,
        body: html`<p>Hand it to ${memberName(member)} in a way that only they can read: whoever opens it first is this member. It works once, until ${visit.times.long(member.invitation.expires_at)}.</p>`,
        back: { href: `${here}/${member.id}`, text: 'I have copied it' },
      })

/** Replaces the link of somebody who has not come yet. */
export async function renewInvitation(visit: Visit): Promise<string | ConsolePage> {
  const member = await visit.api.change('post', '/v1/orgs/{id}/members/{member_id}/invitation', {
    path: { member_id: visit.params['member_id'] ?? '' },
  })
  return invitationPage(member, visit)
}

/** The question before a member is removed: all that ends with them. */
export async function removeMemberPage(visit: Visit): Promise<ConsolePage> {
  const [member, keys, sessions] = await Promise.all([readMember(visit), keysOf(visit), sessionsOf(visit)])
  const count = sessions.value?.data.length
  return questionPage(visit, {
    title: `Remove ${memberName(member)}?`,
    here,
    body: html`<p>With them end, on every server:</p><ul class="bullets"><li>${count === undefined ? 'their sessions' : counted(count, 'session')}</li><li>the keys that they answer for, and every key that those have made</li><li>the keys whose secret they were shown, by making or rotating them</li><li>links of people whom they invited and who have not come, and directory tokens that they were shown</li></ul><h2 class="h2-like">Keys that they answer for</h2>${keyNames(keys, visit)}<p class="dim">To keep an agent running, let somebody else rotate its key and own it before you remove them.</p>`,
    action: `${here}/${member.id}/remove`,
    submit: 'Remove and end all of it',
    cancel: `${here}/${member.id}`,
    keep: 'Keep them',
  })
}

export async function removeMember({ api, params }: Visit): Promise<string> {
  await api.change('delete', '/v1/orgs/{id}/members/{member_id}', {
    path: { member_id: params['member_id'] ?? '' },
  })
  return `${here}?done=removed`
}
