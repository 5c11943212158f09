import type { Config } from '@sheaf/config';
import type { Database } from '@sheaf/db';
import { type IdentityDeps, type IdentitySettings, type LdapDriver } from '@sheaf/identity';
import type { Clock, Logger } from '@sheaf/process';
import { makeAudit } from '@sheaf/users';

type Settings = Pick<Config, 'signIn' | 'tokens' | 'sessions' | 'apiKeys' | 'secondFactor' | 'oidc' | 'ldap' | 'saml' | 'notifications'>;

const identitySettings = ({ signIn, tokens, sessions, apiKeys, secondFactor, oidc, ldap, saml }: Settings): IdentitySettings => {
  const autoCreate = signIn.autoCreateUsers;
  return {
    ...signIn,
    // these may change while the service runs, as may the fields of the sections below
    get defaultRole() {
      return signIn.defaultRole;
    },
    get emailVerificationRequired() {
      return signIn.emailVerificationRequired;
    },
    tokens,
    sessions,
    apiKeys,
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
  config: Settings,
  database: Database,
  { clock, log, ldap }: { clock: Clock; log: Logger; ldap?: LdapDriver | undefined },
): IdentityDeps => ({
  db: database.db,
  databaseUrl: database.url,
  clock,
  log,
  settings: identitySettings(config),
  ldap,
  signsInByLdap: config.signIn.method === 'ldap',
  audit: makeAudit(config.notifications.policy),
});
