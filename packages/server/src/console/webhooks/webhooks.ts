import type { ConsoleRoutes } from '../frame/frame.ts'
import { deliveryPage, eventList, eventPage, redeliver } from './delivery-page.ts'
import {
  changeWebhook,
  confirmAddress,
  confirmPage,
  createWebhook,
  deleteWebhook,
  deleteWebhookPage,
  editWebhookPage,
  newWebhookPage,
  rotatePage,
  rotateSecret,
  switchWebhook,
} from './webhook-form.ts'
import { webhookList } from './webhook-list.ts'
import { replayPage, startReplay, testWebhook, webhookPage } from './webhook-page.ts'

/** Pages of webhooks: the list, one of them with its deliveries and replays, and the events. */
export function webhookPages({ page, action }: ConsoleRoutes) {
  page('/console/webhooks', webhookList)
  page('/console/webhooks/new', async (visit) => newWebhookPage(visit))
  action('/console/webhooks', createWebhook)
  page('/console/webhooks/events', eventList)
  page('/console/webhooks/events/:event_id', eventPage)
  page('/console/webhooks/:sub_id', webhookPage)
  page('/console/webhooks/:sub_id/edit', editWebhookPage)
  action('/console/webhooks/:sub_id/edit', changeWebhook)
  action('/console/webhooks/:sub_id/state', switchWebhook)
  action('/console/webhooks/:sub_id/test', testWebhook)
  page('/console/webhooks/:sub_id/rotate', rotatePage)
  action('/console/webhooks/:sub_id/rotate', rotateSecret)
  page('/console/webhooks/:sub_id/confirm', (visit) => confirmPage(visit))
  action('/console/webhooks/:sub_id/confirm', confirmAddress)
  page('/console/webhooks/:sub_id/replay', (visit) => replayPage(visit))
  action('/console/webhooks/:sub_id/replay', startReplay)
  page('/console/webhooks/:sub_id/deliveries/:delivery_id', deliveryPage)
  action('/console/webhooks/:sub_id/deliveries/:delivery_id/redeliver', redeliver)
  page('/console/webhooks/:sub_id/delete', deleteWebhookPage)
  action('/console/webhooks/:sub_id/delete', deleteWebhook)
}
