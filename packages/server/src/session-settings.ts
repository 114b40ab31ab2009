import { defaulted, setting } from './values/setting.ts'
import { integer } from './values/setting-parsers.ts'

/** Settings of sessions: how long a browser stays signed in. */
export const sessionSettings = {
  sessionIdleSeconds: defaulted(
    setting(
      'SVC_SESSION_IDLE_SECONDS',
      'A session of a browser ends when it was unused for so long.',
      integer(60, 2_592_000),
    ),
    '43200',
  ),
  sessionMaxSeconds: defaulted(
    setting(
      'SVC_SESSION_MAX_SECONDS',
      'A session of a browser ends after so long, however much it is used.',
      integer(60, 2_592_000),
    ),
    '604800',
  ),
}
