import { z } from 'zod';
import { boolean, choice, integer, json, list, secret, text } from './variable.ts';

/** Identity providers, directories and second factors. See variables.ts for all of them. */
export const FEDERATION_VARIABLES = {
  // OIDC
  OIDC_ENABLED: boolean('OIDC', { default: 'false', meaning: 'sign in through an OpenID Connect provider' }),
  OIDC_ISSUER_URL: text('OIDC', {
    default: undefined,
    meaning: 'issuer of the provider exactly as it names itself, such as https://id.example.com/realms/main; required',
  }),
  OIDC_CLIENT_ID: text('OIDC', { default: undefined, meaning: 'id of this service at the provider; required' }),
  OIDC_CLIENT_SECRET: secret('OIDC', {
    default: undefined,
    meaning: 'secret of this service at the provider; required unless OIDC_TOKEN_ENDPOINT_AUTH_METHOD=none',
  }),
  OIDC_REDIRECT_URI: text('OIDC', {
    default: undefined,
    meaning:
      'where the provider sends the browser back to, as registered there: the public address of this service followed by /api/auth/oidc/callback, or by another path that is served for it; required',
  }),
  OIDC_SCOPES: text('OIDC', { default: 'openid profile email', meaning: 'what is asked of the provider, separated by spaces' }),
  OIDC_USER_CLAIM: text('OIDC', {
    default: undefined,
    meaning: 'claim that names the user, such as email or upn (preferred_username, else email); a dotted path leads into objects',
  }),
  OIDC_GROUPS_CLAIM: text('OIDC', {
    default: 'groups',
    meaning: 'claim with the groups: a name, a URL, or a dotted path such as realm_access.roles',
  }),
  OIDC_ADMIN_GROUP: text('OIDC', { default: undefined, meaning: 'group whose members become administrators' }),
  OIDC_GROUP_ROLE_MAPPING: json(z.record(z.string(), z.string().min(1)))('OIDC', {
    default: undefined,
    meaning: 'roles of groups, such as {"staff": "editor"}',
  }),
  OIDC_AUTO_CREATE_USERS: boolean('OIDC', { default: 'false', meaning: 'make an account at the first sign-in through the provider' }),
  OIDC_AUDIENCE: text('OIDC', { default: undefined, meaning: 'audience an id token must have beside OIDC_CLIENT_ID' }),
  OIDC_HOSTED_DOMAIN: text('OIDC', {
    default: undefined,
    meaning: 'only users with a verified e-mail address of this domain; of Google, only members of its organisation',
  }),
  OIDC_TOKEN_ENDPOINT_AUTH_METHOD: choice(['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'none'])('OIDC', {
    default: undefined,
    meaning: 'how this service proves itself to the provider (client_secret_basic where the provider takes it, else client_secret_post)',
  }),
  OIDC_AUTH_ENDPOINT: text('OIDC', { default: undefined, meaning: 'address where users sign in (discovered)' }),
  OIDC_TOKEN_ENDPOINT: text('OIDC', { default: undefined, meaning: 'address that gives tokens (discovered)' }),
  OIDC_USER_INFO_ENDPOINT: text('OIDC', { default: undefined, meaning: 'address that tells more of a user (discovered)' }),
  OIDC_DEBUG: boolean('OIDC', { default: 'false', meaning: 'log each step of a sign-in and the names of the claims, never their values' }),

  // SAML 2.0
  SAML2_IDP_METADATA_URL: text('SAML 2.0', {
    default: undefined,
    meaning: 'metadata of the identity provider: an http(s) URL or the path of a file; turns SAML 2.0 on',
  }),
  SAML2_SP_ENTITY_ID: text('SAML 2.0', { default: undefined, meaning: 'name of this service at the identity provider; required' }),
  SAML2_SP_ACS_URL: text('SAML 2.0', {
    default: undefined,
    meaning: 'where the identity provider sends answers: the public address of this service followed by /api/auth/saml/acs; required',
  }),
  SAML2_SP_X509_CERT: text('SAML 2.0', { default: undefined, meaning: 'file with the certificate of this service, PEM' }),
  SAML2_SP_PRIVATE_KEY: text('SAML 2.0', {
    default: undefined,
    meaning: 'file with the key of that certificate, PEM: signs requests and opens encrypted assertions',
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
      'names of the attributes with username, email, name and groups (the name id, and the usual names). An address from an attribute named here counts as verified',
  }),
  SAML2_ADMIN_GROUP: text('SAML 2.0', { default: undefined, meaning: 'group whose members become administrators' }),

  // LDAP
  LDAP_SERVER: list('LDAP', {
    default: undefined,
    meaning: 'ldap:// or ldaps:// URL of the directory; several separated by commas are tried in this order',
  }),
  LDAP_BIND_DN: text('LDAP', { default: undefined, meaning: 'account that this service searches with (anonymous)' }),
  LDAP_BIND_PASSWORD: secret('LDAP', { default: undefined, meaning: 'password of that account' }),
  LDAP_BASE_DN: text('LDAP', {
    default: undefined,
    meaning: 'where users are searched, with everything below; required beside LDAP_SERVER',
  }),
  LDAP_USER_FILTER: text('LDAP', {
    default: '(uid={username})',
    meaning: 'filter that finds the one entry of a user; {username} is what was typed. Nobody is signed in when it finds several',
  }),
  LDAP_USER_ATTR_MAP: json(
    z.strictObject({ email: z.string().min(1).optional(), name: z.string().min(1).optional(), username: z.string().min(1).optional() }),
  )('LDAP', {
    default: undefined,
    meaning: 'attributes with email, name and username (mail, cn, and the attribute that LDAP_USER_FILTER compares)',
  }),
  LDAP_GROUP_SEARCH_BASE: text('LDAP', { default: undefined, meaning: 'where groups are searched (LDAP_BASE_DN)' }),
  LDAP_GROUP_FILTER: text('LDAP', {
    default: undefined,
    meaning: 'filter that finds the groups of a user, such as (member={user_dn}); unset, they are read from memberOf of the entry',
  }),
  LDAP_ADMIN_GROUP: text('LDAP', { default: undefined, meaning: 'distinguished name of the group whose members become administrators' }),
  LDAP_GROUP_ROLE_MAPPING: json(z.record(z.string().min(1), z.string().min(1)))('LDAP', {
    default: undefined,
    meaning: 'roles of groups, by distinguished name or by name, such as {"staff": "editor"}',
  }),
  LDAP_USE_TLS: boolean('LDAP', { default: 'false', meaning: 'encrypt ldap:// connections by StartTLS; ldaps:// ones always are' }),
  LDAP_TLS_VERIFY: boolean('LDAP', { default: 'true', meaning: 'refuse a directory whose certificate is not trusted' }),
  LDAP_TLS_CA_FILE: text('LDAP', {
    default: undefined,
    meaning: "file with the certificates of the authorities to trust, PEM (the system's)",
  }),
  LDAP_EMAIL_VERIFIED: boolean('LDAP', {
    default: 'false',
    meaning:
      'take the e-mail addresses of the directory for verified, which links its users to accounts that have the same verified address here; only where users cannot change their own address there',
  }),
  LDAP_DEBUG: boolean('LDAP', { default: 'false', meaning: 'log each step of a sign-in, never passwords' }),

  // Second factor
  MFA_ENABLED: boolean('Second factor', {
    default: 'false',
    meaning: 'users can set up a second factor, and are asked for it when they sign in with a password',
  }),
  MFA_METHOD: list('Second factor', {
    default: 'totp',
    meaning: 'what can be set up: totp (authenticator apps), webauthn (passkeys and security keys), or both, comma-separated',
  }),
  MFA_ISSUER: text('Second factor', { default: 'Sheaf', meaning: 'name of this service in authenticator apps' }),
  MFA_ENFORCE_FOR_ADMINS: boolean('Second factor', { default: 'false', meaning: 'administrators must have a second factor' }),
  MFA_GRACE_PERIOD_DAYS: integer(0, 3_650)('Second factor', {
    default: '7',
    meaning: 'days an administrator may go on without one from when it was first asked of him',
  }),
  WEBAUTHN_RP_ID: text('Second factor', {
    default: undefined,
    meaning: 'host name that passkeys belong to, such as docs.example.org; required for webauthn',
  }),
  WEBAUTHN_RP_NAME: text('Second factor', { default: 'Sheaf', meaning: 'name of this service that browsers show' }),
  WEBAUTHN_ORIGIN: list('Second factor', {
    default: undefined,
    meaning:
      'addresses of the pages that use them, comma-separated (https://WEBAUTHN_RP_ID; for localhost any port of http://localhost too)',
  }),
  WEBAUTHN_REQUIRE_ATTESTATION: choice(['none', 'indirect', 'direct', 'enterprise'])('Second factor', {
    default: 'none',
    meaning: 'what a new passkey has to say of its maker; with direct and enterprise one that says nothing is refused',
  }),
} as const;
