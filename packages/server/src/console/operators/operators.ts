import type { ConsoleRoutes } from '../frame/frame.ts'
import { createGrant, grantList, newGrantPage, revokeGrant } from './grant-pages.ts'
import { nodeList } from './node-list.ts'
import {
  createOperatorKey,
  newOperatorKeyPage,
  operatorKeyList,
  revokeOperatorKey,
  revokeOperatorKeyPage,
  rotateOperatorKey,
  rotateOperatorKeyPage,
} from './operator-key-pages.ts'
import { ownerKeyForm, planForm, ratesForm, resumeForm, suspendForm, topUpForm } from './org-forms.ts'
import { createOrg, newOrgPage, orgList, orgsPath } from './org-list.ts'
import { orgPage, resetAddresses } from './org-page.ts'

export { installationPage } from './installation-page.ts'

const orgForms = {
  suspend: suspendForm,
  resume: resumeForm,
  plan: planForm,
  'top-up': topUpForm,
  rates: ratesForm,
  'owner-key': ownerKeyForm,
} as const

/** Pages of those who run the installation: organizations, support access, their own keys, processes. */
export function operatorPages({ page, action }: ConsoleRoutes) {
  page(orgsPath, orgList)
  page(`${orgsPath}/new`, newOrgPage)
  action(orgsPath, createOrg)
  page(`${orgsPath}/:org_id`, orgPage)
  for (const [name, { show, take }] of Object.entries(orgForms)) {
    page(`${orgsPath}/:org_id/${name}`, show)
    action(`${orgsPath}/:org_id/${name}`, take)
  }
  action(`${orgsPath}/:org_id/addresses/reset`, resetAddresses)
  page('/console/support-grants', grantList)
  page('/console/support-grants/new', newGrantPage)
  action('/console/support-grants', createGrant)
  action('/console/support-grants/:grant_id/revoke', revokeGrant)
  page('/console/operator-keys', operatorKeyList)
  page('/console/operator-keys/new', newOperatorKeyPage)
  action('/console/operator-keys', createOperatorKey)
  page('/console/operator-keys/:key_id/rotate', rotateOperatorKeyPage)
  action('/console/operator-keys/:key_id/rotate', rotateOperatorKey)
  page('/console/operator-keys/:key_id/revoke', revokeOperatorKeyPage)
  action('/console/operator-keys/:key_id/revoke', revokeOperatorKey)
  page('/console/nodes', nodeList)
}
