import { z } from 'zod';
import { bindName, dn, domain, ldapAttribute, ldapFilter, roleMap, url, word } from './value-types.ts';
import { boolean, choice, integer, json, list, secret, text } from './variable.ts';

/** Identity providers, directories and second factors. See variables.ts for all of them. */
export const FEDERATION_VARIABLES = {
  // OIDC
  OIDC_ENABLED: boolean('OIDC', { default: 'false', meaning: 'enables sign-in through an OpenID Connect provider' }),
  OIDC_ISSUER_URL: url('https://id.example.com/realms/main')('OIDC', {
    default: undefined,
    meaning: 'issuer URL exactly as the provider publishes it, such as https://id.example.com/realms/main; required',
  }),
  OIDC_CLIENT_ID: text('OIDC', { default: undefined, meaning: 'client ID registered with the provider; required' }),
  OIDC_CLIENT_SECRET: secret('OIDC', {
    default: undefined,
    meaning: 'client secret; required unless OIDC_TOKEN_ENDPOINT_AUTH_METHOD=none',
  }),
  OIDC_REDIRECT_URI: url('https://papers.example.org/api/auth/oidc/callback')('OIDC', {
    default: undefined,
    meaning:
      'redirect URI registered with the provider: the public URL of this service followed by /api/auth/oidc/callback, or by another path that is proxied to it; required',
  }),
  OIDC_SCOPES: text('OIDC', { default: 'openid profile email', meaning: 'scopes to request, separated by spaces' }),
  OIDC_USER_CLAIM: word('email')('OIDC', {
    default: undefined,
    meaning: 'claim with the user name, such as email or upn (preferred_username, else email); a dotted path selects a nested value',
  }),
  OIDC_GROUPS_CLAIM: word('groups')('OIDC', {
    default: 'groups',
    meaning: 'claim with the groups: a name, a URL, or a dotted path such as realm_access.roles',
  }),
  OIDC_ADMIN_GROUP: text('OIDC', { default: undefined, meaning: 'group whose members get the role admin' }),
  OIDC_GROUP_ROLE_MAPPING: roleMap('OIDC', {
    default: undefined,
    meaning: 'JSON map of group to role, such as {"staff": "editor"}',
  }),
  OIDC_AUTO_CREATE_USERS: boolean('OIDC', { default: 'false', meaning: 'creates an account at the first sign-in through the provider' }),
  OIDC_AUDIENCE: word('https://api.example.org')('OIDC', {
    default: undefined,
    meaning:
      '`audience` parameter of the authorization request, which some providers (Auth0) need; ID tokens are always for OIDC_CLIENT_ID',
  }),
  OIDC_HOSTED_DOMAIN: domain('OIDC', {
    default: undefined,
    meaning: 'limits sign-in to users with a verified e-mail address of this domain; with Google, to members of the organization',
  }),
  OIDC_TOKEN_ENDPOINT_AUTH_METHOD: choice(['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'none'])('OIDC', {
    default: undefined,
    meaning: 'client authentication method (client_secret_basic if the provider supports it, else client_secret_post)',
  }),
  OIDC_AUTH_ENDPOINT: url('https://id.example.com/authorize', { mayHaveQuery: true })('OIDC', {
    default: undefined,
    meaning: 'authorization endpoint (discovered)',
  }),
  OIDC_TOKEN_ENDPOINT: url('https://id.example.com/token', { mayHaveQuery: true })('OIDC', {
    default: undefined,
    meaning: 'token endpoint (discovered)',
  }),
  OIDC_USER_INFO_ENDPOINT: url('https://id.example.com/userinfo', { mayHaveQuery: true })('OIDC', {
    default: undefined,
    meaning: 'userinfo endpoint (discovered)',
  }),
  OIDC_DEBUG: boolean('OIDC', { default: 'false', meaning: 'logs each step of a sign-in and the names of the claims, never their values' }),

  // SAML 2.0
  SAML2_IDP_METADATA_URL: text('SAML 2.0', {
    default: undefined,
    meaning: 'metadata of the identity provider: an http(s) URL or a file path; enables SAML 2.0',
  }),
  SAML2_SP_ENTITY_ID: word('https://papers.example.org')('SAML 2.0', {
    default: undefined,
    meaning: 'entity ID of this service provider; required',
  }),
  SAML2_SP_ACS_URL: url('https://papers.example.org/api/auth/saml/acs')('SAML 2.0', {
    default: undefined,
    meaning: 'assertion consumer service URL: the public URL of this service followed by /api/auth/saml/acs; required',
  }),
  SAML2_SP_X509_CERT: text('SAML 2.0', { default: undefined, meaning: 'file with the certificate of the service provider, PEM' }),
  SAML2_SP_PRIVATE_KEY: text('SAML 2.0', {
    default: undefined,
    meaning: 'file with the private key, PEM; signs requests and decrypts assertions',
  }),
  SAML2_ATTRIBUTE_MAPPING: json(
    z.strictObject({
      username: z.string().min(1).optional(),
      email: z.string().min(1).optional(),
      name: z.string().min(1).optional(),
      groups: z.string().min(1).optional(),
    }),
  )('SAML 2.0', {
    default: undefined,
    meaning:
      'attribute names for username, email, name and groups (the NameID and common names). An address from an attribute named here counts as verified',
  }),
  SAML2_ADMIN_GROUP: text('SAML 2.0', { default: undefined, meaning: 'group whose members get the role admin' }),

  // LDAP
  LDAP_SERVER: list('LDAP', {
    default: undefined,
    meaning: 'ldap:// or ldaps:// URL of the directory; several, comma-separated, are tried in this order',
  }),
  LDAP_BIND_DN: bindName('LDAP', { default: undefined, meaning: 'DN of the account used for searches (anonymous)' }),
  LDAP_BIND_PASSWORD: secret('LDAP', { default: undefined, meaning: 'password of LDAP_BIND_DN' }),
  LDAP_BASE_DN: dn('dc=example,dc=org')('LDAP', {
    default: undefined,
    meaning: 'base DN for user searches, including the subtree; required with LDAP_SERVER',
  }),
  LDAP_USER_FILTER: ldapFilter('{username}', '(uid={username})')('LDAP', {
    default: '(uid={username})',
    meaning: 'search filter for a user entry; {username} is the name entered. Sign-in fails if several entries match',
  }),
  LDAP_USER_ATTR_MAP: json(
    z.strictObject({ email: ldapAttribute.optional(), name: ldapAttribute.optional(), username: ldapAttribute.optional() }),
  )('LDAP', {
    default: undefined,
    meaning: 'attribute names for email, name and username (mail, cn, and the attribute compared in LDAP_USER_FILTER)',
  }),
  LDAP_GROUP_SEARCH_BASE: dn('ou=groups,dc=example,dc=org')('LDAP', {
    default: undefined,
    meaning: 'base DN for group searches (LDAP_BASE_DN)',
  }),
  LDAP_GROUP_FILTER: ldapFilter('{user_dn}', '(member={user_dn})')('LDAP', {
    default: undefined,
    meaning: 'search filter for the groups of a user, such as (member={user_dn}); if unset, memberOf of the user entry is used',
  }),
  LDAP_ADMIN_GROUP: dn('cn=admins,ou=groups,dc=example,dc=org')('LDAP', {
    default: undefined,
    meaning: 'DN of the group whose members get the role admin',
  }),
  LDAP_GROUP_ROLE_MAPPING: roleMap('LDAP', {
    default: undefined,
    meaning: 'JSON map of group DN or name to role, such as {"staff": "editor"}',
  }),
  LDAP_USE_TLS: boolean('LDAP', { default: 'false', meaning: 'uses StartTLS for ldap:// connections; ldaps:// is always encrypted' }),
  LDAP_TLS_VERIFY: boolean('LDAP', { default: 'true', meaning: 'rejects a directory whose certificate is not trusted' }),
  LDAP_TLS_CA_FILE: text('LDAP', {
    default: undefined,
    meaning: "file with trusted CA certificates, PEM (the system's)",
  }),
  LDAP_EMAIL_VERIFIED: boolean('LDAP', {
    default: 'false',
    meaning:
      'treats e-mail addresses of the directory as verified, which links its users to existing accounts with the same verified address; enable only if users cannot change their own address in the directory',
  }),
  LDAP_DEBUG: boolean('LDAP', { default: 'false', meaning: 'logs each step of a sign-in, never passwords' }),

  // Second factor
  MFA_ENABLED: boolean('Second factor', {
    everyday: true,
    default: 'false',
    meaning: 'enables multi-factor authentication for users who sign in with a password',
  }),
  MFA_METHOD: list('Second factor', {
    default: 'totp',
    meaning: 'allowed methods, comma-separated: totp (authenticator apps), webauthn (passkeys and security keys)',
  }),
  MFA_ISSUER: text('Second factor', { default: 'Sheaf', meaning: 'issuer name shown in authenticator apps' }),
  MFA_ENFORCE_FOR_ADMINS: boolean('Second factor', { default: 'false', meaning: 'requires a second factor for administrators' }),
  MFA_GRACE_PERIOD_DAYS: integer(0, 3_650)('Second factor', {
    default: '7',
    meaning: 'days an administrator can sign in without a second factor after it was first required',
  }),
  WEBAUTHN_RP_ID: text('Second factor', {
    default: undefined,
    meaning: 'relying party ID (host name) of passkeys, such as docs.example.org; required for webauthn',
  }),
  WEBAUTHN_RP_NAME: text('Second factor', { default: 'Sheaf', meaning: 'relying party name that browsers show' }),
  WEBAUTHN_ORIGIN: list('Second factor', {
    default: undefined,
    meaning: 'allowed origins, comma-separated (https://WEBAUTHN_RP_ID; for localhost also any port of http://localhost)',
  }),
  WEBAUTHN_REQUIRE_ATTESTATION: choice(['none', 'indirect', 'direct', 'enterprise'])('Second factor', {
    default: 'none',
    meaning: 'attestation requested from a new passkey; direct and enterprise reject passkeys without attestation',
  }),
} as const;
