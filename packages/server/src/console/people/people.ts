import type { ConsoleRoutes } from '../frame/frame.ts'
import { changeMember, changeMemberPage, freshInvitation, inviteMember, invitePage } from './member-form.ts'
import { memberList } from './member-list.ts'
import { memberPage, removeMember, removeMemberPage, renewInvitation } from './member-page.ts'
import { here } from './people-tabs.ts'
import { endSession, sessionList } from './session-list.ts'

export { peopleTabs } from './people-tabs.ts'

/** Pages of members, who are invited, changed and removed; and of everybody's sessions. */
export function peoplePages({ page, action }: ConsoleRoutes) {
  page(here, memberList)
  page(`${here}/invite`, async (visit) => invitePage(visit, freshInvitation()))
  action(here, inviteMember)
  page(`${here}/:member_id`, memberPage)
  page(`${here}/:member_id/edit`, changeMemberPage)
  action(`${here}/:member_id/edit`, changeMember)
  action(`${here}/:member_id/invitation`, renewInvitation)
  page(`${here}/:member_id/remove`, removeMemberPage)
  action(`${here}/:member_id/remove`, removeMember)
  page('/console/sessions', sessionList)
  action('/console/sessions/:session_id/end', endSession)
}
