import { includesRole } from '../../contract/routes.ts'
import type { Schemas } from '../api/api.ts'
import { type FormState, freshForm, html, optionField, textField } from '../components/components.ts'
import { type ConsolePage, type FormValues, formPage, refusedForm, type Visit } from '../frame/frame.ts'
import { memberName } from './member-list.ts'
import { invitationPage, readMember } from './member-page.ts'
import { here } from './people-tabs.ts'

type MemberRole = Schemas['MemberInput']['role']

/** Roles of people, with what each reaches. */
export const memberRoles = [
  { value: 'viewer', text: 'Viewer', consequence: 'Reads.' },
  { value: 'member', text: 'Member', consequence: 'The everyday work, but no settings.' },
  { value: 'admin', text: 'Admin', consequence: 'Keys, members, settings, the audit log.' },
  { value: 'owner', text: 'Owner', consequence: 'Everything in the organization.' },
] as const

const rolesFor = ({ caller }: Visit) => memberRoles.filter(({ value }) => includesRole(caller.role, value))

/** The form that invites somebody. */
export const invitePage = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'Invite somebody',
    sub: 'You get a link to hand to them. It is shown once.',
    here,
    action: here,
    submit: 'Invite and show the link',
    cancel: here,
    body: html`${textField(state, { name: 'email', label: 'E-mail', type: 'email', isRequired: true })}${textField(state, { name: 'name', label: 'Name', isOptional: true })}${optionField(state, { name: 'role', label: 'Role', choices: rolesFor(visit) })}`,
  })

export const freshInvitation = (): FormState => freshForm({ email: '', name: '', role: 'member' })

export async function inviteMember(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const { email = '', name = '', role = 'member' } = values
  try {
    const member = await visit.api.change('post', '/v1/orgs/{id}/members', {
      body: { email: email.trim(), name, role: role as MemberRole },
    })
    return invitationPage(member, visit)
  } catch (error) {
    return invitePage(visit, refusedForm(error, values))
  }
}

const changeForm = (visit: Visit, member: Schemas['Member'], state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: `Change ${memberName(member)}`,
    sub: 'A lower role ends those of their keys that have the role admin or owner and more power than they have then. Keys of agents go on.',
    here,
    action: `${here}/${member.id}/edit`,
    submit: 'Save changes',
    cancel: `${here}/${member.id}`,
    body: html`${textField(state, { name: 'name', label: 'Name', isOptional: true })}${optionField(state, { name: 'role', label: 'Role', choices: rolesFor(visit) })}`,
  })

export async function changeMemberPage(visit: Visit): Promise<ConsolePage> {
  const member = await readMember(visit)
  return changeForm(visit, member, freshForm({ name: member.name, role: member.role }))
}

export async function changeMember(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const memberId = visit.params['member_id'] ?? ''
  const { name = '', role = 'member' } = values
  try {
    await visit.api.change('patch', '/v1/orgs/{id}/members/{member_id}', {
      path: { member_id: memberId },
      body: { name, role: role as MemberRole },
    })
    return `${here}/${memberId}?done=changed`
  } catch (error) {
    return changeForm(visit, await readMember(visit), refusedForm(error, values))
  }
}
