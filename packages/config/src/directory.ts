import { MFA_METHODS, type MfaMethod } from '@sheaf/vocabulary/mfa';
import type { Values } from './parse.ts';

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
export const unknownMethods = (names: readonly string[]): readonly string[] => names.filter((name) => !isMethod(name.toLowerCase()));

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
