import { type Static, Type } from 'typebox'
import type { FieldFault } from '../../contract/errors.ts'
import { ListOf, ListQuery } from '../../contract/lists.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { Id, Nullable, OneOf, PathId, Timestamp } from '../../contract/wire.ts'
import { isSoundAddress } from '../oidc/oidc.ts'
import { personRoles } from '../role-rules/role-rules.ts'

const maxUrlLength = 2_048
const name = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', examples: ['Okta'] })
const issuer = {
  description: 'The issuer, as the provider shows it: its discovery document is beneath it.',
  examples: ['https://login.example.com'],
}
const role = 'The role of whoever has one of these values in this claim.'
const claim =
  'The name of a claim; dots lead into objects, as in `realm_access.roles`. Of several rules the first that holds counts.'
const defaultRole = 'The role of whoever no rule holds for; null if they may not come in.'
const jit =
  'Whether somebody who is no member yet becomes one by signing in. Their e-mail address must be of a domain that the organization has proved.'

const entityId = { description: 'The name of the provider.', examples: ['https://login.example.com/saml'] }
const ssoUrl = {
  description: 'The address of the provider to which people are sent, with the HTTP-Redirect binding.',
  examples: ['https://login.example.com/saml/sso'],
}
const certificates = {
  description:
    'Certificates with which the provider signs. All of them hold, so that a new one can be entered before the old one goes.',
  examples: [['-----BEGIN CERTIFICATE-----\n…']],
}
const emailAttribute = {
  description: 'The attribute with the e-mail address; null for the usual ones, or a name that is an address.',
  examples: ['mail'],
}
const skew = 'By how much the clock of the provider may differ from ours.'

const RoleRuleInput = Type.Object(
  {
    claim: Type.String({ minLength: 1, maxLength: 200, description: claim, examples: ['groups'] }),
    values: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      examples: [['weir-admins']],
    }),
    role: Type.Enum([...personRoles], { description: role }),
  },
  { title: 'RoleRuleInput' },
)

const OidcInput = Type.Object(
  {
    issuer: Type.String({ minLength: 1, maxLength: maxUrlLength, ...issuer }),
    client_id: Type.String({ minLength: 1, maxLength: 500, pattern: '\\S', examples: ['0oa1b2c3d4'] }),
    client_secret: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 1_000 }), Type.Null()], {
        description:
          'The secret that the provider gave to this client; null for a client without one. It is never shown. Left out, the one that there is stays.',
        examples: ['GOCSPX-…'],
        writeOnly: true,
      }),
    ),
  },
  { title: 'OidcSettingsInput' },
)

const maxCertificates = 10
const SamlInput = Type.Object(
  {
    metadata_xml: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200_000,
        description: 'The metadata of the provider, as it exports it.',
        writeOnly: true,
      }),
    ),
    metadata_url: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: maxUrlLength }), Type.Null()], {
        default: null,
        description:
          'The address of the metadata. It is read when it is given without the settings below, so giving it again takes a new certificate over.',
        examples: ['https://login.example.com/metadata'],
      }),
    ),
    entity_id: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024, ...entityId })),
    sso_url: Type.Optional(Type.String({ minLength: 1, maxLength: maxUrlLength, ...ssoUrl })),
    certificates: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 20_000 }), {
        minItems: 1,
        maxItems: maxCertificates,
        ...certificates,
      }),
    ),
    email_attribute: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 500 }), Type.Null()], { default: null, ...emailAttribute }),
    ),
    clock_skew_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 300, default: 60, description: skew })),
  },
  { title: 'SamlSettingsInput' },
)
export type SamlInput = Static<typeof SamlInput>

const ofKind = (kind: string) => `Settings of a connection of the kind \`${kind}\`.`
const fields = {
  name,
  oidc: Type.Optional(Type.Union([OidcInput, Type.Null()], { description: ofKind('oidc') })),
  saml: Type.Optional(Type.Union([SamlInput, Type.Null()], { description: ofKind('saml') })),
  role_rules: Type.Optional(Type.Array(RoleRuleInput, { maxItems: 50, default: [] })),
  default_role: Type.Optional(
    Type.Union([Type.Enum([...personRoles]), Type.Null()], {
      default: null,
      description: defaultRole,
      examples: ['viewer'],
    }),
  ),
  jit: Type.Optional(Type.Boolean({ default: false, description: jit })),
  enabled: Type.Optional(Type.Boolean({ default: true, description: 'Whether anybody can sign in by it.' })),
}

const example = {
  name: 'Okta',
  oidc: { issuer: 'https://login.example.com', client_id: '0oa1b2c3d4', client_secret: 'GOCSPX-…' },
  role_rules: [{ claim: 'groups', values: ['weir-admins'], role: 'admin' }],
  default_role: 'viewer',
  jit: true,
}

const notSound = 'Must begin with https://, and have neither query nor fragment.'
const settingsFaults = ({ oidc, saml }: { oidc?: { issuer: string } | null; saml?: object | null }): FieldFault[] => {
  if (oidc != null && saml != null)
    return [{ field: 'saml', code: 'invalid_value', message: 'Give the settings of one kind: oidc or saml.' }]
  return oidc == null || (isSoundAddress(oidc.issuer) && !/[?#]/.test(oidc.issuer))
    ? []
    : [{ field: 'oidc.issuer', code: 'invalid_format', message: notSound }]
}

const replacement = Type.Object(fields, { title: 'SsoConnectionReplacement', examples: [example] })
export type SsoConnectionReplacement = Static<typeof replacement>
export const SsoConnectionReplacement = withCheck(replacement, settingsFaults)

const input = Type.Object(
  { kind: Type.Enum(['oidc', 'saml'], { description: 'How the provider is spoken to.' }), ...fields },
  { title: 'SsoConnectionInput', examples: [{ kind: 'oidc', ...example }] },
)
export type SsoConnectionInput = Static<typeof input>
export const SsoConnectionInput = withCheck(input, (given: SsoConnectionInput) => [
  ...settingsFaults(given),
  ...(given.kind === undefined || given[given.kind] != null
    ? []
    : [
        {
          field: given.kind,
          code: 'required' as const,
          message: `A connection of the kind ${given.kind} needs its settings.`,
        },
      ]),
])

const RoleRuleView = Type.Object(
  {
    claim: Type.String({ description: claim, examples: ['groups'] }),
    values: Type.Array(Type.String(), { examples: [['weir-admins']] }),
    role: OneOf(personRoles, { description: role, examples: ['admin'] }),
  },
  { title: 'RoleRule' },
)

const OidcView = Type.Object(
  {
    issuer: Type.String(issuer),
    client_id: Type.String({ examples: ['0oa1b2c3d4'] }),
    client_secret_set_at: Nullable({
      ...Timestamp,
      description: 'The time at which the client secret was entered; null where there is none.',
    }),
  },
  { title: 'OidcSettings' },
)

const SamlView = Type.Object(
  {
    metadata_url: Nullable(Type.String({ examples: ['https://login.example.com/metadata'] })),
    entity_id: Type.String(entityId),
    sso_url: Type.String(ssoUrl),
    certificates: Type.Array(Type.String(), certificates),
    email_attribute: Nullable(Type.String(emailAttribute)),
    clock_skew_seconds: Type.Integer({ description: skew, examples: [60] }),
  },
  { title: 'SamlSettings' },
)

const at = (path: string) => `https://weir.example.com/saml/${path}/sso_01jbsxbb4p9x5vsm9w0845n5sf`
const ServiceProvider = Type.Object(
  {
    entity_id: Type.String({ description: 'Our name, also called audience.', examples: [at('metadata')] }),
    acs_url: Type.String({ description: 'The address for answers, also called ACS.', examples: [at('acs')] }),
    metadata_url: Type.String({ description: 'Our metadata, which has both.', examples: [at('metadata')] }),
  },
  { title: 'ServiceProvider' },
)

export const SsoConnection = Type.Object(
  {
    id: Id('connection'),
    org_id: Id('org'),
    kind: OneOf(['oidc', 'saml']),
    name: Type.String({ examples: ['Okta'] }),
    oidc: Nullable({ ...OidcView, description: 'null for connections of another kind.' }),
    saml: Nullable({ ...SamlView, description: 'null for connections of another kind.' }),
    service_provider: Nullable({
      ...ServiceProvider,
      description: 'What to enter at a SAML provider; null for connections of another kind.',
    }),
    role_rules: Type.Array(RoleRuleView),
    default_role: Nullable(OneOf(personRoles, { description: defaultRole })),
    jit: Type.Boolean({ description: jit }),
    enabled: Type.Boolean({ description: 'Whether anybody can sign in by it.' }),
    sign_in_url: Type.String({
      description: 'The address at which people sign in by this connection.',
      examples: ['https://weir.example.com/sso/sso_01jbsxbb4p9x5vsm9w0845n5sf'],
    }),
    redirect_uri: Nullable(
      Type.String({
        description: 'The address to enter at an OpenID provider as the redirect URI, exactly so.',
        examples: ['https://weir.example.com/sso/callback/sso_01jbsxbb4p9x5vsm9w0845n5sf'],
      }),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'SsoConnection', description: 'The connection, without its secret.' },
)
export type SsoConnectionView = Static<typeof SsoConnection>

export const SsoConnectionPath = Type.Object({ id: PathId('org'), connection_id: PathId('connection') })
export const SsoConnectionList = ListOf(SsoConnection)
export const SsoConnectionListQuery = ListQuery({ created_at: 'time' }, { enabled: Type.Boolean() })

const endpoint = (path: string) => Nullable(Type.String({ examples: [`https://login.example.com${path}`] }))
export const SsoConnectionTest = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether the provider was found. Its secret is tried only by a sign-in.' }),
    fault: Nullable(
      OneOf(['unreachable', 'refused_address', 'not_found', 'issuer_mismatch', 'incomplete', 'certificates_differ'], {
        description: 'Why the provider was not found.',
      }),
    ),
    message: Nullable(Type.String({ examples: ['The provider could not be reached, or did not answer in time.'] })),
    issuer: endpoint(''),
    authorization_endpoint: endpoint('/authorize'),
    token_endpoint: endpoint('/token'),
    jwks_uri: endpoint('/keys'),
    end_session_endpoint: endpoint('/logout'),
    signing_algorithms: Type.Array(Type.String({ examples: ['RS256'] }), {
      description: 'What the provider says that it signs with. Only RSA, ECDSA and EdDSA are taken.',
    }),
    names_itself_in_answers: Type.Boolean({
      description: 'Whether answers name the issuer (RFC 9207); it is then demanded.',
    }),
  },
  { title: 'SsoConnectionTest', description: 'What was found under the issuer.' },
)
export type SsoConnectionTestView = Static<typeof SsoConnectionTest>
