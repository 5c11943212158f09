import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { reasonedError } from '@sheaf/contract';
import { type ComponentHealth, makeProblem, unhealthy } from '@sheaf/contract/operations';
import { FatalError, type Logger } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Entry } from 'ldapts';
import type { ExternalIdentity, PasswordDriver } from '../external-identity.ts';
import { openConnection } from './connection.ts';
import { ConnectionPool, type PoolSettings } from './connection-pool.ts';
import { normaliseName } from './distinguished-name.ts';
import { isAway, isWrongPassword } from './failures.ts';
import { type FilterTemplate, findComparedAttribute, parseFilterTemplate } from './filter-template.ts';
import { type Group, groupOf, namesOfGroups } from './groups.ts';
import { DEFAULT_IDLE_MS, DEFAULT_TIMEOUT_MS, type LdapSettings } from './settings.ts';

/** Every value of an attribute as text; its name in any case, as directories answer in the case of their schema. */
const readValues = (entry: Entry, attribute: string): readonly string[] => {
  const wanted = attribute.toLowerCase();
  const [, value] = Object.entries(entry).find(([name]) => name.toLowerCase() === wanted && name !== 'dn') ?? [];
  const values = value === undefined ? [] : Array.isArray(value) ? value : [value];
  return values.filter((one): one is string => typeof one === 'string' && one !== '');
};

const readValue = (entry: Entry, attribute: string): string | undefined => readValues(entry, attribute)[0];

/** Active Directory's id of an entry, 16 bytes. */
const readObjectGuid = (entry: Entry): string | undefined => {
  const value = entry['objectGUID'];
  return Buffer.isBuffer(value) && value.length > 0 ? value.toString('hex') : undefined;
};

/** The longest name or password that is sent to a directory. */
const MAX_CHARACTERS = 1_024;

interface Search {
  /** Undefined where the name finds nobody, or several. */
  readonly entry: Entry | undefined;
  /** Which server was asked: the password is asked there too, as copies of a directory differ for a while. */
  readonly server: string;
}

/** Checks names and passwords in an LDAP directory: finds the one entry by the service's own account, then binds as that entry. */
export class LdapDriver implements PasswordDriver, Disposable {
  readonly #settings: LdapSettings;
  readonly #log: Logger;
  readonly #connection: PoolSettings;
  readonly #pool: ConnectionPool;
  readonly #userFilter: FilterTemplate;
  readonly #groupFilter: FilterTemplate | undefined;
  readonly #usernameAttribute: string | undefined;

  /** Throws FatalError when a filter is none or the file of authorities cannot be read. Connects only when it is needed. */
  constructor(settings: LdapSettings, log: Logger) {
    this.#settings = settings;
    this.#log = log;
    this.#userFilter = setting('LDAP_USER_FILTER', () => parseFilterTemplate(settings.userFilter, 'username'));
    const { groupFilter } = settings;
    this.#groupFilter =
      groupFilter === undefined ? undefined : setting('LDAP_GROUP_FILTER', () => parseFilterTemplate(groupFilter, 'user_dn'));
    this.#usernameAttribute = settings.attributes.username ?? findComparedAttribute(settings.userFilter, 'username');
    this.#connection = {
      ...settings,
      ca: setting('LDAP_TLS_CA_FILE', () => (settings.caFile === undefined ? undefined : readFileSync(settings.caFile, 'utf8'))),
      timeoutMs: settings.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      idleMs: settings.idleMs ?? DEFAULT_IDLE_MS,
    };
    this.#pool = new ConnectionPool(this.#connection, log);
    const plain = settings.startTls ? [] : settings.servers.filter((server) => server.startsWith('ldap:'));
    if (plain.length > 0) log.warn({ servers: plain }, 'LDAP connection is not encrypted; set LDAP_USE_TLS=true or use ldaps://');
  }

  async check(username: string, password: string, signal?: AbortSignal): Promise<ExternalIdentity | undefined> {
    // An empty password is an anonymous sign-in for a directory, which then says yes to any name; for some a leading NUL ends it.
    if (password === '' || password.includes('\0') || username.trim() === '') return undefined;
    if (username.length > MAX_CHARACTERS || password.length > MAX_CHARACTERS) return undefined;
    try {
      const { entry, server } = await this.#findUser(username);
      signal?.throwIfAborted();
      const isRight = await this.#isPasswordOf(entry, server, password);
      if (entry === undefined || !isRight) return undefined;
      signal?.throwIfAborted();
      return await this.#toIdentity(entry);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      this.#log.error({ err: error }, 'LDAP request failed');
      throw reasonedError('SERVICE_UNAVAILABLE', 'directory_away', {}, error);
    }
  }

  /** Whether the directory is there, lets the service in and has the base that users are searched under. */
  async health(): Promise<ComponentHealth> {
    const { baseDn } = this.#settings;
    try {
      await this.#pool.use(({ client }) => client.search(baseDn, { scope: 'base', attributes: ['1.1'], sizeLimit: 1 }));
      return { status: 'healthy' };
    } catch (error) {
      this.#log.warn({ err: error }, 'LDAP connection test failed');
      if (isAway(error)) return unhealthy('ldap_unreachable');
      return isWrongPassword(error) ? unhealthy('ldap_bind_rejected') : unhealthy('ldap_search_failed', { base_dn: baseDn });
    }
  }

  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]();
  }

  /** The one entry that the filter finds. References to other directories are not followed. */
  async #findUser(username: string): Promise<Search> {
    const { baseDn, attributes } = this.#settings;
    const filter = this.#userFilter(username);
    const { entries, server } = await this.#pool.use(async ({ client, server }) => {
      const { searchEntries } = await client.search(baseDn, {
        scope: 'sub',
        filter,
        sizeLimit: 2,
        timeLimit: Math.ceil(this.#connection.timeoutMs / 1_000),
        attributes: [
          ...new Set([attributes.email, attributes.name, this.#usernameAttribute ?? 'uid', 'entryUUID', 'objectGUID', 'memberOf']),
        ],
        explicitBufferAttributes: ['objectGUID'],
      });
      return { entries: searchEntries, server };
    });
    this.#tell({ filter: filter.toString(), base: baseDn, found: entries.length }, 'LDAP user search');
    const [entry, another] = entries;
    if (another !== undefined) this.#log.warn({ username }, 'LDAP sign-in rejected: LDAP_USER_FILTER matches several entries');
    return { entry: another === undefined ? entry : undefined, server };
  }

  // Choice: where nobody was found a name that nobody has is asked with a password that nobody typed, so that it takes as long.
  async #isPasswordOf(entry: Entry | undefined, server: string, password: string): Promise<boolean> {
    const dn = entry?.dn ?? `uid=${randomUUID()},${this.#settings.baseDn}`;
    // of its own and closed after: what a user signed in on is never used again
    using connection = await openConnection(server, this.#connection);
    try {
      await connection.client.bind(dn, entry === undefined ? randomUUID() : password);
      this.#tell({ dn, accepted: true }, 'LDAP user bind');
      return entry !== undefined;
    } catch (error) {
      if (isAway(error)) throw error;
      this.#tell({ dn, accepted: false, err: error }, 'LDAP user bind');
      return false;
    }
  }

  async #toIdentity(entry: Entry): Promise<ExternalIdentity> {
    const { attributes, adminGroup, groupRoles } = this.#settings;
    const mentioned = [...(adminGroup === undefined ? [] : [adminGroup]), ...Object.keys(groupRoles)];
    const groups = namesOfGroups(await this.#groupsOf(entry), mentioned);
    this.#tell({ dn: entry.dn, groups }, 'LDAP groups');
    return {
      method: 'ldap',
      // what stays when a person is renamed or moved, where the directory has such a thing
      externalId: readValue(entry, 'entryUUID') ?? readObjectGuid(entry) ?? normaliseName(entry.dn) ?? entry.dn,
      username: this.#usernameAttribute === undefined ? undefined : readValue(entry, this.#usernameAttribute),
      email: readValue(entry, attributes.email),
      // in many directories people write their own entry, so the operator has to vouch for it
      emailVerified: this.#settings.emailVerified,
      displayName: readValue(entry, attributes.name),
      groups,
    };
  }

  async #groupsOf(entry: Entry): Promise<readonly Group[]> {
    if (this.#groupFilter === undefined) return readValues(entry, 'memberOf').map((dn) => groupOf(dn));
    const filter = this.#groupFilter(entry.dn);
    const base = this.#settings.groupSearchBase ?? this.#settings.baseDn;
    const { searchEntries } = await this.#pool.use(({ client }) =>
      client.search(base, { scope: 'sub', filter, attributes: ['cn'], paged: { pageSize: 500 } }),
    );
    return searchEntries.map((group) => groupOf(group.dn, readValues(group, 'cn')));
  }

  #tell(fields: Record<string, unknown>, step: string): void {
    if (this.#settings.debug) this.#log.info(fields, step);
  }
}

/** What `read` makes of a setting. A mistake in it ends the process with its name. */
const setting = <T>(name: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FatalError(makeProblem('ldap_setting_invalid', { variable: name, error: reason }), EXIT.configuration, error);
  }
};
