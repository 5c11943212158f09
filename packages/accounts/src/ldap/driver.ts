import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { reasonedError, stripEnd } from '@sheaf/contract';
import { type ComponentHealth, makeProblem, unhealthy } from '@sheaf/contract/operations';
import { FatalError, type Logger } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import {
  AndFilter,
  ApproximateFilter,
  type Entry,
  EqualityFilter,
  ExtensibleFilter,
  type Filter,
  FilterParser,
  NotFilter,
  OrFilter,
} from 'ldapts';
import type { ExternalIdentity, PasswordDriver } from '../external-identity.ts';
import {
  ConnectionPool,
  DEFAULT_IDLE_MS,
  DEFAULT_TIMEOUT_MS,
  isAway,
  isWrongPassword,
  type LdapSettings,
  openConnection,
  type PoolSettings,
} from './connection.ts';

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
    this.#debug({ filter: filter.toString(), base: baseDn, found: entries.length }, 'LDAP user search');
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
      this.#debug({ dn, accepted: true }, 'LDAP user bind');
      return entry !== undefined;
    } catch (error) {
      if (isAway(error)) throw error;
      this.#debug({ dn, accepted: false, err: error }, 'LDAP user bind');
      return false;
    }
  }

  async #toIdentity(entry: Entry): Promise<ExternalIdentity> {
    const { attributes, adminGroup, groupRoles } = this.#settings;
    const mentioned = [...(adminGroup === undefined ? [] : [adminGroup]), ...Object.keys(groupRoles)];
    const groups = namesOfGroups(await this.#groupsOf(entry), mentioned);
    this.#debug({ dn: entry.dn, groups }, 'LDAP groups');
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

  #debug(fields: Record<string, unknown>, step: string): void {
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

/** A group as a directory names it. */
interface Group {
  readonly dn: string;
  readonly names: readonly string[];
}

/** A name that reads like a distinguished name could pass for another group, as the admin group is compared by it. */
const isPlainName = (name: string): boolean => !name.includes('=') && name.trim() !== '';

export const groupOf = (dn: string, names?: readonly string[]): Group => {
  const own = commonNameOf(dn);
  return { dn, names: (names ?? (own === undefined ? [] : [own])).filter(isPlainName) };
};

/** Whether `group` is the one that an operator wrote: by distinguished name however it is spelled, or by name in any case. */
const isMeant = (group: Group, written: string): boolean => {
  const name = normaliseName(written);
  if (name !== undefined) return name === normaliseName(group.dn);
  return group.names.some((one) => one.toLowerCase() === written.trim().toLowerCase());
};

/**
 * What `groups` are called: distinguished names, plain names, and, for each one that the settings mention, the very spelling of the
 * settings, so that whoever maps groups to roles compares text.
 */
export const namesOfGroups = (groups: readonly Group[], mentioned: readonly string[]): readonly string[] => {
  const written = mentioned.filter((name) => groups.some((group) => isMeant(group, name)));
  // A plain name that the settings do not mean must not equal what they say by chance of spelling.
  const others = groups.flatMap(({ dn, names }) => [dn, ...names]);
  return [...new Set([...written, ...others])];
};

/** A search filter with one place left open. What is put in is data: nothing in it can become syntax. */
type FilterTemplate = (value: string) => Filter;

/**
 * Parses `template` once, with `{placeholder}` standing where a value stands. Throws, in words for the operator, when it is no
 * filter, when the placeholder is missing, and when it stands in a pattern with `*`.
 */
export const parseFilterTemplate = (template: string, placeholder: string): FilterTemplate => {
  const open = `{${placeholder}}`;
  const tree = parseFilter(template);
  const fill: FilterTemplate = (value) => replaceValues(tree, (text) => text.replaceAll(open, () => value));
  if (!tree.toString().includes(open)) throw new Error(`must contain the placeholder ${open} as a value, such as (uid=${open})`);
  // A name typed in part must not find a person, so only values that are compared whole are filled.
  if (fill('').toString().includes(open)) throw new Error(`must not combine ${open} with * or a range`);
  return fill;
};

/** The attribute that a template compares with the open place alone, first one first: `uid` of `(uid={username})`. */
export const findComparedAttribute = (template: string, placeholder: string): string | undefined => {
  const search = (filter: Filter): string | undefined => {
    if (filter instanceof EqualityFilter) return filter.value === `{${placeholder}}` ? filter.attribute : undefined;
    if (!(filter instanceof AndFilter || filter instanceof OrFilter)) return undefined;
    return filter.filters.map(search).find((attribute) => attribute !== undefined);
  };
  return search(parseFilter(template));
};

const parseFilter = (template: string): Filter => {
  try {
    return FilterParser.parseString(template.trim());
  } catch (error) {
    throw new Error(`is not a valid search filter (${error instanceof Error ? error.message : 'unknown'})`, { cause: error });
  }
};

/** A copy of `filter` in which `change` was applied to every value that is compared whole. */
const replaceValues = (filter: Filter, change: (text: string) => string): Filter => {
  const inner = (one: Filter): Filter => replaceValues(one, change);
  if (filter instanceof AndFilter) return new AndFilter({ filters: filter.filters.map(inner) });
  if (filter instanceof OrFilter) return new OrFilter({ filters: filter.filters.map(inner) });
  if (filter instanceof NotFilter) return new NotFilter({ filter: inner(filter.filter) });
  if (filter instanceof ExtensibleFilter) {
    const { rule, matchType, dnAttributes } = filter;
    return new ExtensibleFilter({ rule, matchType, dnAttributes, value: change(filter.value) });
  }
  if (filter instanceof EqualityFilter && typeof filter.value === 'string')
    return new EqualityFilter({ attribute: filter.attribute, value: change(filter.value) });
  if (filter instanceof ApproximateFilter) return new ApproximateFilter({ attribute: filter.attribute, value: change(filter.value) });
  return filter;
};

/** Splits at every `separator` that is neither escaped nor inside quotes. Undefined where a quote stays open. */
const split = (text: string, separators: string): readonly string[] | undefined => {
  const parts: string[] = [];
  let part = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') {
      part += character + text.charAt(at + 1);
      at += 1;
    } else if (!isQuoted && separators.includes(character)) {
      parts.push(part);
      part = '';
    } else {
      if (character === '"') isQuoted = !isQuoted;
      part += character;
    }
  }
  return isQuoted ? undefined : [...parts, part];
};

/** Without the spaces around it; one behind a backslash belongs to the value. */
const trimUnescaped = (text: string): string => {
  const behind = text.replace(/^ +/, '');
  const trimmed = stripEnd(behind, ' ');
  return trimmed.endsWith('\\') ? behind.slice(0, trimmed.length + 1) : trimmed;
};

/** The value behind RFC 4514's escapes: `\2c`, `\,` and quotes. Bytes that stand together are one text in UTF-8. */
const unescape = (text: string): string => {
  const trimmed = trimUnescaped(text);
  const inner = /^"(?:[^"\\]|\\.)*"$/s.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
  return inner.replaceAll(/(?:\\[0-9a-fA-F]{2})+|\\(.)/gs, (bytes: string, character: string | undefined) =>
    character === undefined ? Buffer.from(bytes.replaceAll('\\', ''), 'hex').toString('utf8') : character,
  );
};

/** How directories compare most values: letters alike, spaces as one. */
const fold = (value: string): string => value.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();

/** One level of a name as `[type, value]`, several where it has several values. Undefined where it is none. */
const parseLevel = (text: string): readonly (readonly [type: string, value: string])[] | undefined => {
  const pairs = split(text, '+')?.map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, Math.max(at, 0)).trim().toLowerCase(), unescape(pair.slice(at + 1))] as const;
  });
  return pairs?.every(([type]) => /^([a-z][a-z0-9-]*|\d+(\.\d+)+)$/.test(type)) === true ? pairs : undefined;
};

const parseName = (name: string) => {
  const levels = split(name, ',;')?.map(parseLevel);
  return levels?.every((level) => level !== undefined) === true ? levels : undefined;
};

/**
 * A distinguished name in the one form that is the same for every way to write it: case, spaces, escapes and the order of a level
 * with several values do not count. Undefined when `name` is no distinguished name.
 */
export const normaliseName = (name: string): string | undefined =>
  parseName(name)
    ?.map((level) =>
      level
        .map(([type, value]) => `${type}=${JSON.stringify(fold(value))}`)
        .sort()
        .join('+'),
    )
    .join(',');

/** The `cn` of the entry itself, as it is written. */
export const commonNameOf = (name: string): string | undefined => parseName(name)?.[0]?.find(([type]) => type === 'cn')?.[1];
