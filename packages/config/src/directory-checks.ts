import { MFA_METHODS, type MfaMethod } from '@sheaf/vocabulary/mfa';
import type { Values } from './parse.ts';
import { parseCertificate, wrongFile } from './regular-file.ts';

const DAY_MS = 24 * 3_600_000;

/** The directory, or undefined where none is named. */
export const ldapConfig = (v: Values) =>
  v.LDAP_SERVER === undefined || v.LDAP_BASE_DN === undefined
    ? undefined
    : {
        servers: v.LDAP_SERVER,
        bindDn: v.LDAP_BIND_DN,
        bindPassword: v.LDAP_BIND_PASSWORD,
        baseDn: v.LDAP_BASE_DN,
        userFilter: v.LDAP_USER_FILTER,
        attributes: {
          email: v.LDAP_USER_ATTR_MAP?.email ?? 'mail',
          name: v.LDAP_USER_ATTR_MAP?.name ?? 'cn',
          username: v.LDAP_USER_ATTR_MAP?.username,
        },
        groupSearchBase: v.LDAP_GROUP_SEARCH_BASE,
        groupFilter: v.LDAP_GROUP_FILTER,
        adminGroup: v.LDAP_ADMIN_GROUP,
        groupRoles: v.LDAP_GROUP_ROLE_MAPPING ?? {},
        startTls: v.LDAP_USE_TLS,
        verifyTls: v.LDAP_TLS_VERIFY,
        caFile: v.LDAP_TLS_CA_FILE,
        emailVerified: v.LDAP_EMAIL_VERIFIED,
        debug: v.LDAP_DEBUG,
      };

const isMethod = (name: string): name is MfaMethod => MFA_METHODS.some((method) => method === name);

/** Names in MFA_METHOD that are none. */
const unknownMethods = (names: readonly string[]): readonly string[] => names.filter((name) => !isMethod(name.toLowerCase()));

export const secondFactorConfig = (v: Values) => ({
  enabled: v.MFA_ENABLED,
  methods: v.MFA_METHOD.map((name) => name.toLowerCase()).filter(isMethod),
  issuer: v.MFA_ISSUER,
  enforceForAdmins: v.MFA_ENFORCE_FOR_ADMINS,
  graceMs: v.MFA_GRACE_PERIOD_DAYS * DAY_MS,
  /** Undefined: no passkeys. */
  webauthn:
    v.WEBAUTHN_RP_ID === undefined
      ? undefined
      : {
          rpId: v.WEBAUTHN_RP_ID,
          rpName: v.WEBAUTHN_RP_NAME,
          origins: v.WEBAUTHN_ORIGIN ?? [],
          attestation: v.WEBAUTHN_REQUIRE_ATTESTATION,
        },
});

type Check = (values: Partial<Values>) => string | undefined;

const REQUIRED_BY_LDAP = 'is required with LDAP_SERVER';

const isLdapUrl = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^ldaps?:$/.test(url.protocol) || url.hostname === '') return false;
  return [url.username, url.password, url.search, url.hash].every((part) => part === '') && /^\/?$/.test(url.pathname);
};

const checkServer: Check = ({ AUTH_METHOD, LDAP_SERVER: servers }) => {
  if (servers === undefined)
    return AUTH_METHOD === 'ldap' ? 'is required when AUTH_METHOD=ldap, such as ldaps://ldap.example.org' : undefined;
  const wrong = servers.filter((server) => !isLdapUrl(server));
  return servers.length > 0 && wrong.length === 0
    ? undefined
    : 'must be ldap://host:port or ldaps://host:port, comma-separated; set the base DN in LDAP_BASE_DN';
};

const checkBindPair =
  (own: 'LDAP_BIND_DN' | 'LDAP_BIND_PASSWORD', other: 'LDAP_BIND_DN' | 'LDAP_BIND_PASSWORD'): Check =>
  (values) =>
    values.LDAP_SERVER !== undefined && values[own] === undefined && values[other] !== undefined ? `is required with ${other}` : undefined;

const checkMethod: Check = ({ MFA_METHOD: methods }) => {
  if (methods === undefined) return undefined;
  return methods.length > 0 && unknownMethods(methods).length === 0 ? undefined : 'must be totp, webauthn or both, separated by a comma';
};

const checkRpId: Check = ({ MFA_ENABLED, MFA_METHOD, WEBAUTHN_RP_ID: id }) => {
  if (id === undefined)
    return MFA_ENABLED === true && MFA_METHOD?.some((method) => method.toLowerCase() === 'webauthn') === true
      ? 'is required if MFA_METHOD contains webauthn; set it to the host name of this service in browsers'
      : undefined;
  const isName = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(id) && !/^[\d.]+$/.test(id);
  return isName ? undefined : 'must be a lower-case host name such as docs.example.org, without https:// and port';
};

const isOriginOf = (text: string, rpId: string | undefined): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.origin !== text || !/^https?:$/.test(url.protocol)) return false;
  const isOwn = rpId === undefined || url.hostname === rpId || url.hostname.endsWith(`.${rpId}`);
  // browsers have no passkeys on pages that came in the clear, but for localhost
  return isOwn && (url.protocol === 'https:' || url.hostname === 'localhost' || url.hostname.endsWith('.localhost'));
};

const checkOrigin: Check = ({ WEBAUTHN_ORIGIN: origins, WEBAUTHN_RP_ID: id }) => {
  const wrong = (origins ?? []).filter((origin) => !isOriginOf(origin, id));
  return wrong.length === 0
    ? undefined
    : `must be origins of this service such as https://docs.example.org, within WEBAUTHN_RP_ID and without a path; invalid: ${wrong.join(', ')}`;
};

/** Checks across the variables of LDAP and of second factors. */
export const DIRECTORY_CHECKS: Readonly<Record<string, Check>> = {
  LDAP_SERVER: checkServer,
  LDAP_BASE_DN: ({ LDAP_SERVER, LDAP_BASE_DN }) => (LDAP_SERVER !== undefined && LDAP_BASE_DN === undefined ? REQUIRED_BY_LDAP : undefined),
  LDAP_BIND_DN: checkBindPair('LDAP_BIND_DN', 'LDAP_BIND_PASSWORD'),
  LDAP_BIND_PASSWORD: checkBindPair('LDAP_BIND_PASSWORD', 'LDAP_BIND_DN'),
  LDAP_TLS_CA_FILE: ({ LDAP_SERVER, LDAP_TLS_CA_FILE }) =>
    LDAP_SERVER === undefined ? undefined : wrongFile(LDAP_TLS_CA_FILE, parseCertificate),
  MFA_METHOD: checkMethod,
  WEBAUTHN_RP_ID: checkRpId,
  WEBAUTHN_ORIGIN: checkOrigin,
};
