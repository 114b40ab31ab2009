import { defaulted, optional, secretSetting, setting } from './values/setting.ts'
import {
  integer,
  mailSender,
  nameServers,
  parseNetworks,
  portRanges,
  secondsList,
  secretUrl,
  url,
} from './values/setting-parsers.ts'

/** The settings of webhooks. */
export const webhookSettings = {
  webhookAllowedCidrs: optional(
    setting(
      'SVC_WEBHOOK_ALLOWED_CIDRS',
      'Private addresses or CIDR ranges to which webhooks may be sent.',
      parseNetworks,
    ),
    'none: public addresses only',
    (): string[] => [],
  ),
  webhookAllowedPorts: defaulted(
    setting(
      'SVC_WEBHOOK_ALLOWED_PORTS',
      'Ports to which webhooks may be sent: numbers and ranges such as `8000-8999`.',
      portRanges,
    ),
    '80,443,8080,8443',
  ),
  webhookDnsServers: optional(
    setting(
      'SVC_WEBHOOK_DNS_SERVERS',
      'Name servers for webhook targets instead of the system’s, `address` or `address:port`, so that names resolve as they do outside.',
      nameServers,
    ),
    'the system’s resolver',
    () => undefined,
  ),
  webhookTimeoutSeconds: defaulted(
    setting(
      'SVC_WEBHOOK_TIMEOUT_SECONDS',
      'Time limit of one delivery attempt, from the name lookup to the last byte of the response.',
      integer(1, 300),
    ),
    '15',
  ),
  webhookRetrySeconds: defaulted(
    setting(
      'SVC_WEBHOOK_RETRY_SECONDS',
      'Pauses after failed attempts of a delivery, in seconds; after the last one the delivery has failed.',
      secondsList,
    ),
    '5,30,120,900,3600,14400,43200,86400',
  ),
  slackApiUrl: defaulted(
    setting(
      'SVC_SLACK_API_URL',
      'The API of Slack, for subscriptions that write with a bot token and for Slack apps.',
      url('https:', 'http:'),
    ),
    'https://slack.com/api',
  ),
  smtpUrl: optional(
    secretSetting(
      'SVC_SMTP_URL',
      'The relay that takes mail for subscriptions of the kind `email`: `smtp://user:password@host:587`, with `smtps://` for TLS from the start. With a user, TLS is required. Its address may be private: it is reached for mail alone.',
      secretUrl('smtp:', 'smtps:'),
    ),
    'no mail is sent',
    () => undefined,
  ),
  mailFrom: optional(
    setting(
      'SVC_MAIL_FROM',
      'The sender of mail, such as `Weir <weir@example.com>`; needed with `SVC_SMTP_URL`.',
      mailSender,
    ),
    'no mail is sent',
    () => undefined,
  ),
  mailsPerDestination: defaulted(
    setting(
      'SVC_MAIL_DESTINATION_PER_HOUR',
      'Messages that a subscription of the kind `email` sends in an hour of the clock; what is above is told together later.',
      integer(1, 10_000),
    ),
    '30',
  ),
  mailsPerOrg: defaulted(
    setting(
      'SVC_MAIL_ORG_PER_HOUR',
      'Mails that an organization sends to all its recipients together in an hour of the clock.',
      integer(1, 1_000_000),
    ),
    '500',
  ),
  webhookConcurrency: defaulted(
    setting('SVC_WEBHOOK_CONCURRENCY', 'Concurrent deliveries of a worker.', integer(1, 10_000)),
    '256',
  ),
}
