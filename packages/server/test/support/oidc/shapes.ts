import type { RoleRule } from '../../../src/people/role-rules/role-rules.ts'
import type { Json } from './provider.ts'

/** What a known provider looks like: its discovery document under an issuer, and the claims of its ID tokens, as its guides show them. */
export interface ProviderShape {
  readonly path: string
  readonly metadata: (origin: string) => Json
  readonly claims: Json
  /** What a sign-in reads from them. */
  readonly email: string
  readonly isEmailVerified: boolean
  readonly rule: RoleRule
}

const tenant = '72f988bf-86f1-41af-91ab-2d7cd011db47'

export const providerShapes: Readonly<Record<string, ProviderShape>> = {
  'Entra ID': {
    path: `/${tenant}/v2.0`,
    metadata: (origin) => ({
      issuer: `${origin}/${tenant}/v2.0`,
      authorization_endpoint: `${origin}/${tenant}/oauth2/v2.0/authorize`,
      token_endpoint: `${origin}/${tenant}/oauth2/v2.0/token`,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
      jwks_uri: `${origin}/${tenant}/discovery/v2.0/keys`,
      response_modes_supported: ['query', 'fragment', 'form_post'],
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
      scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
      request_uri_parameter_supported: false,
      userinfo_endpoint: `${origin}/oidc/userinfo`,
      device_authorization_endpoint: `${origin}/${tenant}/oauth2/v2.0/devicecode`,
      http_logout_supported: true,
      frontchannel_logout_supported: true,
      end_session_endpoint: `${origin}/${tenant}/oauth2/v2.0/logout`,
      cloud_instance_name: 'microsoftonline.com',
      tenant_region_scope: 'WW',
    }),
    claims: {
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      oid: '00000000-0000-0000-66f3-3332eca7ea81',
      tid: tenant,
      preferred_username: 'ada@acme.example',
      name: 'Ada Lovelace',
      groups: ['0d0a1b2c-3d4e-5f60-7182-93a4b5c6d7e8', 'f1e2d3c4-b5a6-9788-6950-41322314f5e6'],
      roles: ['Weir.Admin'],
      rh: '0.AAAA.',
      uti: 'abc',
      ver: '2.0',
    },
    email: 'ada@acme.example',
    isEmailVerified: false,
    rule: { claim: 'roles', values: ['Weir.Admin'], role: 'admin' },
  },
  Okta: {
    path: '/oauth2/default',
    metadata: (origin) => ({
      issuer: `${origin}/oauth2/default`,
      authorization_endpoint: `${origin}/oauth2/default/v1/authorize`,
      token_endpoint: `${origin}/oauth2/default/v1/token`,
      userinfo_endpoint: `${origin}/oauth2/default/v1/userinfo`,
      registration_endpoint: `${origin}/oauth2/v1/clients`,
      jwks_uri: `${origin}/oauth2/default/v1/keys`,
      response_types_supported: ['code', 'id_token', 'code id_token', 'code token', 'id_token token'],
      response_modes_supported: ['query', 'fragment', 'form_post', 'okta_post_message'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'client_secret_jwt',
        'private_key_jwt',
        'none',
      ],
      code_challenge_methods_supported: ['S256'],
      end_session_endpoint: `${origin}/oauth2/default/v1/logout`,
      request_parameter_supported: true,
    }),
    claims: {
      sub: '00uid4BxXw6I6TV4m0g3',
      name: 'Ada Lovelace',
      email: 'ada@acme.example',
      email_verified: true,
      ver: 1,
      jti: 'ID.4eAWJOCMB3SX8XewDfVR',
      amr: ['pwd', 'mfa'],
      idp: '00ok1u7AsAkrwdZL3z0g3',
      auth_time: 1_311_280_970,
      preferred_username: 'ada@acme.example',
      groups: ['Everyone', 'weir-admins'],
    },
    email: 'ada@acme.example',
    isEmailVerified: true,
    rule: { claim: 'groups', values: ['weir-admins'], role: 'admin' },
  },
  Google: {
    path: '',
    metadata: (origin) => ({
      issuer: origin,
      authorization_endpoint: `${origin}/o/oauth2/v2/auth`,
      device_authorization_endpoint: `${origin}/device/code`,
      token_endpoint: `${origin}/token`,
      userinfo_endpoint: `${origin}/v1/userinfo`,
      revocation_endpoint: `${origin}/revoke`,
      jwks_uri: `${origin}/oauth2/v3/certs`,
      end_session_endpoint: undefined,
      response_types_supported: ['code', 'token', 'id_token', 'code token', 'code id_token', 'none'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid', 'email', 'profile'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      code_challenge_methods_supported: ['plain', 'S256'],
    }),
    claims: {
      azp: 'weir-client',
      sub: '110169484474386276334',
      hd: 'acme.example',
      email: 'ada@acme.example',
      email_verified: true,
      at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q',
      name: 'Ada Lovelace',
      picture: 'https://lh3.example/photo.jpg',
      given_name: 'Ada',
      family_name: 'Lovelace',
    },
    email: 'ada@acme.example',
    isEmailVerified: true,
    rule: { claim: 'hd', values: ['acme.example'], role: 'admin' },
  },
  Keycloak: {
    path: '/realms/acme',
    metadata: (origin) => {
      const at = `${origin}/realms/acme/protocol/openid-connect`
      return {
        issuer: `${origin}/realms/acme`,
        authorization_endpoint: `${at}/auth`,
        token_endpoint: `${at}/token`,
        introspection_endpoint: `${at}/token/introspect`,
        userinfo_endpoint: `${at}/userinfo`,
        end_session_endpoint: `${at}/logout`,
        jwks_uri: `${at}/certs`,
        check_session_iframe: `${at}/login-status-iframe.html`,
        frontchannel_logout_supported: true,
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
        id_token_signing_alg_values_supported: ['PS384', 'RS384', 'EdDSA', 'ES384', 'HS256', 'HS512', 'ES256', 'RS256'],
        response_modes_supported: ['query', 'fragment', 'form_post', 'query.jwt', 'jwt'],
        token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_basic', 'client_secret_post'],
        code_challenge_methods_supported: ['plain', 'S256'],
        authorization_response_iss_parameter_supported: true,
        response_types_supported: ['code', 'none', 'id_token', 'token', 'id_token token', 'code id_token'],
        subject_types_supported: ['public', 'pairwise'],
      }
    },
    claims: {
      sub: 'f1b7b4b2-7a3c-4a87-9f5e-8a4d6f0d2c11',
      jti: '5a3f3c1e-4d8a-4b43-8f6a-0a1b2c3d4e5f',
      typ: 'ID',
      azp: 'weir-client',
      sid: 'c0ffee00-1111-2222-3333-444455556666',
      acr: '1',
      email: 'ada@acme.example',
      email_verified: true,
      name: 'Ada Lovelace',
      preferred_username: 'ada',
      realm_access: { roles: ['offline_access', 'weir-admin'] },
      resource_access: { account: { roles: ['manage-account'] } },
    },
    email: 'ada@acme.example',
    isEmailVerified: true,
    rule: { claim: 'realm_access.roles', values: ['weir-admin'], role: 'admin' },
  },
}
