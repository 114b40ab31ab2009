import { defaulted, optional, setting } from './values/setting.ts'
import { integer, nameServers, parseNetworks, portRanges } from './values/setting-parsers.ts'

/** Settings of single sign-on: where identity providers may be, and who is asked for the proofs of domains. */
export const ssoSettings = {
  ssoAllowedCidrs: optional(
    setting(
      'SVC_SSO_ALLOWED_CIDRS',
      'Private addresses or CIDR ranges in which identity providers may be.',
      parseNetworks,
    ),
    'none: public addresses only',
    (): string[] => [],
  ),
  ssoAllowedPorts: defaulted(
    setting(
      'SVC_SSO_ALLOWED_PORTS',
      'Ports of identity providers: numbers and ranges such as `8000-8999`.',
      portRanges,
    ),
    '80,443,8080,8443',
  ),
  ssoTimeoutSeconds: defaulted(
    setting(
      'SVC_SSO_TIMEOUT_SECONDS',
      'Time limit of one request to an identity provider, from the name lookup to the last byte of the response.',
      integer(1, 60),
    ),
    '10',
  ),
  dnsServers: optional(
    setting(
      'SVC_DNS_SERVERS',
      'Name servers for identity providers and for the proofs of domains instead of the system’s, `address` or `address:port`.',
      nameServers,
    ),
    'the system’s resolver',
    () => undefined,
  ),
}
