import { checked, release, type Section, server, tested } from '../clause.ts'

const twoReleases = 'It is about two releases.'

export const stability: Section = {
  title: 'Stability of `/v1`',
  clauses: [
    tested(
      140,
      'The envelope, the codes and the documented statuses are frozen.',
      twoReleases,
      release('catalog', 'a removed code'),
      release('freeze', 'a removed success status'),
    ),
    tested(
      141,
      'No path, operation, field, enum value or parameter of `/v1` is ever removed.',
      twoReleases,
      release('freeze', 'a removed path that was deprecated and past its sunset'),
      release('freeze', 'a removed operation'),
      release('freeze', 'a removed optional response field'),
      release('freeze', 'an enum value removed from a request'),
      release('freeze', 'a removed parameter'),
    ),
    tested(
      142,
      'A replacement under `/v2` and what it replaces are served together for at least 12 months.',
      twoReleases,
      release('announcements', 'a second less than twelve months'),
    ),
    tested(
      143,
      'No switch lets a breaking change through.',
      'It is about the gate of this repository.',
      release('freeze', 'an oasdiff.yaml in the working directory softens nothing'),
      release('cut', 'a tree that breaks the newest release is not cut'),
    ),
    tested(
      144,
      'A setting that is deprecated in release N is removed in N+2 at the earliest.',
      twoReleases,
      release('ledger', 'a variable may go two releases after its announcement'),
    ),
    tested(
      145,
      'The removal of a setting is announced in the release notes, as an action of operators, and in the release ledger.',
      twoReleases,
      release('ledger', 'an entry without operator actions'),
    ),
    tested(
      146,
      'A notice is never shortened.',
      twoReleases,
      release('announcements', 'a published sunset never moves earlier'),
    ),
    tested(
      147,
      'Every deprecation is in the changelog when it is announced and when it ends.',
      'It is about the changelog.',
      release('changelog', 'a removal that is not named'),
    ),
    tested(
      148,
      'A setting that is removed too early fails the check of the sequence.',
      twoReleases,
      release('ledger', 'a variable may not go one release after its announcement'),
    ),
  ],
}

export const signals: Section = {
  title: 'Signals of a deprecated route',
  clauses: [
    checked(149, '`Deprecation` is `@<seconds>`, midnight UTC of the day that the listing has as `since`.'),
    checked(150, '`Sunset` is an HTTP date, the one of the listing.'),
    checked(
      151,
      '`Link` has the documentation with `rel="deprecation"`, and the successor with `rel="successor-version"`.',
    ),
    checked(
      152,
      'Every answer of a deprecated route carries all three, refusals and answers to odd requests included.',
    ),
    checked(153, 'The operation is `deprecated: true` in the OpenAPI document, and no other is.'),
    checked(154, 'Its calls are counted by `svc_deprecated_route_calls_total`.'),
    checked(155, 'The one label, `route`, is the template and not the path.'),
    tested(
      156,
      'No route opts in or out of any of this.',
      'A route cannot be flagged from outside.',
      server('src/contract/deprecations/deprecations.test.ts', 'in headers, listing, OpenAPI and counter'),
    ),
  ],
}

export const active: Section = {
  title: 'What is deprecated now',
  clauses: [
    checked(
      157,
      '`GET /v1/admin/orgs/{org_id}/webhook-secret`: sunset Fri, 31 Dec 2027 23:59:59 GMT, replaced by `GET /v1/orgs/{id}/webhooks/{sub_id}/signing`.',
    ),
    checked(
      158,
      '`POST /v1/admin/orgs/{org_id}/webhook-secret/rotate`: the same sunset, replaced by `POST /v1/orgs/{id}/webhooks/{sub_id}/signing/rotate`.',
    ),
    checked(
      159,
      'Deliveries signed with the secret of the organization: the same sunset, replaced by a secret of each subscription.',
      server(
        'test/webhooks/webhook-delivery.test.ts',
        'an event arrives signed with the organization’s secret, which says that it is deprecated',
      ),
    ),
    tested(
      160,
      '`SVC_READ_LIMIT_PER_MINUTE`: still works, and names what replaces it.',
      'It is a setting of the process.',
      server('src/config.test.ts', 'a deprecated variable works, and names its replacement'),
    ),
    checked(161, '`GET /v1/forecast`: sunset Wed, 31 Dec 2036 23:59:59 GMT, replaced by `/v1/capacity/forecasts`.'),
    checked(162, 'All of them were announced on 2026-07-22, and all are still served.'),
    checked(163, 'The server-rendered console is not deprecated: it has neither header nor date.'),
  ],
}
