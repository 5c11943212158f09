import { type IdentityDeps, type IdentitySettings, type LdapDriver } from '@sheaf/accounts';
import type { Config, FixedConfig } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import { type Clock, type Live, type Logger, select } from '@sheaf/process';

type IdentityConfig = Pick<FixedConfig, 'signIn' | 'tokens' | 'sessions' | 'apiKeys' | 'secondFactor' | 'oidc' | 'ldap' | 'saml'>;

const identitySettings = (
  { signIn, tokens, sessions, apiKeys, secondFactor, oidc, ldap, saml }: IdentityConfig,
  settings: Live<Config>,
): IdentitySettings => {
  const autoCreate = signIn.autoCreateUsers;
  return {
    ...signIn,
    defaultRole: select(settings, (current) => current.signIn.defaultRole),
    emailVerificationRequired: select(settings, (current) => current.signIn.emailVerificationRequired),
    lockout: select(settings, (current) => current.signIn.lockout),
    tokens: { ...tokens, lifeMs: select(settings, (current) => current.tokens.lifeMs) },
    sessions: { ...sessions, maxConcurrent: select(settings, (current) => current.sessions.maxConcurrent) },
    apiKeys: { ...apiKeys, lifeMs: select(settings, (current) => current.apiKeys.lifeMs) },
    secondFactor,
    external: {
      oidc: { adminGroup: oidc?.adminGroup, mapping: oidc?.groupRoles ?? {}, autoCreate: autoCreate || oidc?.autoCreateUsers === true },
      ldap: { adminGroup: ldap?.adminGroup, mapping: ldap?.groupRoles ?? {}, autoCreate },
      saml2: { adminGroup: saml?.adminGroup, mapping: {}, autoCreate },
    },
  };
};

/** What the identity service is made from, by the settings. */
export const identityDeps = (
  config: IdentityConfig,
  settings: Live<Config>,
  database: Database,
  { clock, log, ldap }: { clock: Clock; log: Logger; ldap?: LdapDriver | undefined },
): IdentityDeps => ({
  db: database.db,
  databaseUrl: database.directUrl,
  clock,
  log,
  settings: identitySettings(config, settings),
  ldap,
  signsInByLdap: config.signIn.method === 'ldap',
});
