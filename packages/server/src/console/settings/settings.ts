import type { ConsoleRoutes } from '../frame/frame.ts'
import { callsPage, changeMapping, changeNames, changeTrust, mappingPage, namesPage, trustPage } from './call-pages.ts'
import {
  addressPage,
  changeAddresses,
  changeOrg,
  changeRetention,
  generalPage,
  orgPage,
  retentionPage,
} from './general-pages.ts'
import { path } from './settings-tabs.ts'
import {
  changeSlack,
  endSlackLink,
  removeSlack,
  removeSlackPage,
  slackPage,
  slackPath,
  testSlack,
} from './slack-pages.ts'
import { endSupport, supportPage } from './support-pages.ts'

/** Pages of the settings of an organization. */
export function settingsPages({ page, action }: ConsoleRoutes) {
  page(path, generalPage)
  page(`${path}/organization`, orgPage)
  action(`${path}/organization`, changeOrg)
  page(`${path}/addresses`, addressPage)
  action(`${path}/addresses`, changeAddresses)
  page(`${path}/retention`, retentionPage)
  action(`${path}/retention`, changeRetention)
  page(`${path}/calls`, callsPage)
  page(`${path}/calls/trust`, trustPage)
  action(`${path}/calls/trust`, changeTrust)
  page(`${path}/calls/names/:dimension`, namesPage)
  action(`${path}/calls/names/:dimension`, changeNames)
  page(`${path}/calls/otlp`, mappingPage)
  action(`${path}/calls/otlp`, changeMapping)
  page(slackPath, (visit) => slackPage(visit))
  action(slackPath, changeSlack)
  action(`${slackPath}/test`, testSlack)
  page(`${slackPath}/remove`, removeSlackPage)
  action(`${slackPath}/remove`, removeSlack)
  action(`${slackPath}/links/:slack_link_id/end`, endSlackLink)
  page(`${path}/support`, supportPage)
  action(`${path}/support/:grant_id/end`, endSupport)
}
