import type { Secret } from '@sheaf/contract';

export interface LdapSettings {
  /** ldap:// or ldaps://, tried in this order. */
  readonly servers: readonly string[];
  /** Both unset: the directory is searched without signing in to it. */
  readonly bindDn: string | undefined;
  readonly bindPassword: Secret | undefined;
  readonly baseDn: string;
  /** With {username}. */
  readonly userFilter: string;
  /** Names of attributes. Without `username` it is the one that the filter compares. */
  readonly attributes: { readonly email: string; readonly name: string; readonly username?: string | undefined };
  readonly groupSearchBase: string | undefined;
  /** With {user_dn}. Unset: what the user's own entry says (memberOf). */
  readonly groupFilter: string | undefined;
  readonly adminGroup: string | undefined;
  /** Names or distinguished names of groups, each with its role. */
  readonly groupRoles: Readonly<Record<string, string>>;
  /** StartTLS on ldap://. */
  readonly startTls: boolean;
  readonly verifyTls: boolean;
  /** PEM file of the authorities to trust instead of the system's. */
  readonly caFile: string | undefined;
  /** Whether people cannot change their own address there, so that it may link to accounts here. */
  readonly emailVerified: boolean;
  /** Log each step. */
  readonly debug: boolean;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
}

/** How long one step may take: connect, handshake, bind, search. */
export const DEFAULT_TIMEOUT_MS = 10_000;
/** Directories and the firewalls before them drop idle connections after minutes. */
export const DEFAULT_IDLE_MS = 60_000;
