import { optional, setting } from './values/setting.ts'
import { text } from './values/setting-parsers.ts'

/** Settings of the gateway that may run inside the api role. */
export const gatewaySettings = {
  gatewayConfig: optional(
    setting(
      'SVC_GATEWAY_CONFIG',
      'The configuration file of a [gateway](gateway.md#inside-weir) that the api role runs in its own process.',
      text,
    ),
    'no gateway runs inside',
    () => undefined,
  ),
}
