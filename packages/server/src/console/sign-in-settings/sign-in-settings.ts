import type { ConsoleRoutes } from '../frame/frame.ts'
import {
  changeConnection,
  changeConnectionPage,
  createConnection,
  freshConnection,
  newConnectionPage,
} from './connection-form.ts'
import {
  connectionList,
  connectionPage,
  deleteConnection,
  deleteConnectionPage,
  testConnection,
} from './connection-page.ts'
import {
  changeRoles,
  createToken,
  directoryPage,
  newTokenPage,
  revokeToken,
  revokeTokenPage,
  rolesPage,
} from './directory-pages.ts'
import {
  createDomain,
  deleteDomain,
  deleteDomainPage,
  domainList,
  domainPage,
  newDomainPage,
  verifyDomain,
} from './domain-pages.ts'
import { changePolicy, policyPage } from './policy-page.ts'
import { path } from './settings-head.ts'

/** Pages of the ways in: identity providers, domains, directories, and demands on sessions. */
export function signInSettingsPages({ page, action }: ConsoleRoutes) {
  page(path, connectionList)
  page(`${path}/connections/new`, async (visit) => newConnectionPage(visit, freshConnection(visit.query)))
  action(`${path}/connections`, createConnection)
  page(`${path}/connections/:connection_id`, (visit) => connectionPage(visit))
  page(`${path}/connections/:connection_id/edit`, changeConnectionPage)
  action(`${path}/connections/:connection_id/edit`, changeConnection)
  action(`${path}/connections/:connection_id/test`, testConnection)
  page(`${path}/connections/:connection_id/delete`, deleteConnectionPage)
  action(`${path}/connections/:connection_id/delete`, deleteConnection)
  page(`${path}/domains`, domainList)
  page(`${path}/domains/new`, newDomainPage)
  action(`${path}/domains`, createDomain)
  page(`${path}/domains/:domain_id`, domainPage)
  action(`${path}/domains/:domain_id/verify`, verifyDomain)
  page(`${path}/domains/:domain_id/delete`, deleteDomainPage)
  action(`${path}/domains/:domain_id/delete`, deleteDomain)
  page(`${path}/directory`, directoryPage)
  page(`${path}/directory/tokens/new`, newTokenPage)
  action(`${path}/directory/tokens`, createToken)
  page(`${path}/directory/tokens/:scim_token_id/revoke`, revokeTokenPage)
  action(`${path}/directory/tokens/:scim_token_id/revoke`, revokeToken)
  page(`${path}/directory/roles`, rolesPage)
  action(`${path}/directory/roles`, changeRoles)
  page(`${path}/policy`, policyPage)
  action(`${path}/policy`, changePolicy)
}
