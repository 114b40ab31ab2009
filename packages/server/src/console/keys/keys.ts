import type { ConsoleRoutes } from '../frame/frame.ts'
import { createKey, freshKey, newKeyPage } from './key-form.ts'
import { keyList } from './key-list.ts'
import {
  changeKey,
  changeKeyPage,
  freezeKey,
  freezeKeyPage,
  keyPage,
  revokeKey,
  revokeKeyPage,
  rotateKey,
  rotateKeyPage,
  thawKey,
} from './key-page.ts'
import { revokeSeveral, revokeSeveralPage } from './revoke-several.ts'

/** Pages of keys: the list, one of them, and the forms that make, rotate, freeze and revoke them. */
export function keyPages({ page, action }: ConsoleRoutes) {
  page('/console/keys', keyList)
  page('/console/keys/new', (visit) => newKeyPage(visit, freshKey(visit.query)))
  action('/console/keys', createKey)
  page('/console/keys/revoke', revokeSeveralPage)
  action('/console/keys/revoke', revokeSeveral)
  page('/console/keys/:key_id', keyPage)
  page('/console/keys/:key_id/edit', changeKeyPage)
  action('/console/keys/:key_id/edit', changeKey)
  page('/console/keys/:key_id/rotate', rotateKeyPage)
  action('/console/keys/:key_id/rotate', rotateKey)
  page('/console/keys/:key_id/revoke', revokeKeyPage)
  action('/console/keys/:key_id/revoke', revokeKey)
  page('/console/keys/:key_id/freeze', freezeKeyPage)
  action('/console/keys/:key_id/freeze', freezeKey)
  action('/console/keys/:key_id/thaw', thawKey)
}
