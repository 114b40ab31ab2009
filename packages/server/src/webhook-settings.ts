import { defaulted, optional, setting } from './values/setting.ts'
import { integer, nameServers, networks, portRanges, secondsList } from './values/setting-parsers.ts'

/** The settings of webhooks. */
export const webhookSettings = {
  webhookAllowedCidrs: optional(
    setting(
      'SVC_WEBHOOK_ALLOWED_CIDRS',
      'Where webhooks may be sent although it is not public: addresses or CIDR networks.',
      networks,
    ),
    'none: public addresses only',
    (): string[] => [],
  ),
  webhookAllowedPorts: defaulted(
    setting(
      'SVC_WEBHOOK_ALLOWED_PORTS',
      'The ports that webhooks may be sent to: numbers and ranges such as `8000-8999`.',
      portRanges,
    ),
    '80,443,8080,8443',
  ),
  webhookDnsServers: optional(
    setting(
      'SVC_WEBHOOK_DNS_SERVERS',
      'Name servers that webhook targets are looked up at, `address` or `address:port`, instead of the system’s: names then resolve as the outside sees them.',
      nameServers,
    ),
    'the resolver of the system',
    () => undefined,
  ),
  webhookTimeoutSeconds: defaulted(
    setting(
      'SVC_WEBHOOK_TIMEOUT_SECONDS',
      'How long one attempt of a delivery may take as a whole, from the name lookup to the last byte of the answer.',
      integer(1, 300),
    ),
    '15',
  ),
  webhookRetrySeconds: defaulted(
    setting(
      'SVC_WEBHOOK_RETRY_SECONDS',
      'The pauses after failed attempts of a delivery, in seconds; after the last one it has failed.',
      secondsList,
    ),
    '5,30,120,900,3600,14400,43200,86400',
  ),
  webhookConcurrency: defaulted(
    setting('SVC_WEBHOOK_CONCURRENCY', 'How many deliveries a worker has on their way at once.', integer(1, 10_000)),
    '256',
  ),
}
