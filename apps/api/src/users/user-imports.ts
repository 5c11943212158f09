import { type Accounts, hashPassword, type Identity, requireGoodPassword, requireKnownRole, requireMayChange } from '@sheaf/accounts';
import {
  type Audit,
  claimUserImport,
  deleteUserImportsBefore,
  failUserImport,
  type GivenEntry,
  getUserImport,
  listUserImports,
  listUserImportsAfter,
  lockUsersToInvite,
  readNextEntries,
  readUserImportErrors,
  recordAuditEntries,
  releaseUserImport,
  settleEntry,
  UserImportLost,
  type UserImportRefusal,
} from '@sheaf/accounts/users';
import type { FixedConfig } from '@sheaf/config';
import { AppError, reasonedError } from '@sheaf/contract';
import {
  type ImportedUser,
  importedUser,
  type ListedUserImportBody,
  listedUserImportBody,
  type UserImportInvitationsBody,
  userImportBody,
  userImportInvitationsBody,
  userImportListQuery,
} from '@sheaf/contract/users';
import { type Database, type Db, readRoles } from '@sheaf/db';
import { requireRequester } from '@sheaf/db/requester';
import type { User, UserImport } from '@sheaf/db/schema';
import { type Clock, type Component, type Logger, Loop } from '@sheaf/process';
import { type Principal, type RolePermissions, scopeOf } from '@sheaf/vocabulary/permissions';
import type { WatchDirectoryDeps } from '@sheaf/watch';
import { z } from 'zod';
import { type Cursors, rowListRoute } from '../http/list-route.ts';
import { idParams, parseInput } from '../http/parse-input.ts';
import { createRoute, jsonRoute, type Route } from '../http/route.ts';

interface PreparedUser {
  readonly user: Omit<ImportedUser, 'password'>;
  readonly passwordHash: string | null;
}

const nameIn = (given: unknown): string | null => z.object({ username: z.string() }).safeParse(given).data?.username.slice(0, 254) ?? null;

export const toRefusal = (given: unknown, { message, code, details }: AppError): UserImportRefusal => ({
  username: nameIn(given),
  error: message,
  code,
  details,
});

/** An entry of a list, or what is wrong with its fields. */
export const toEntry = (given: unknown): GivenEntry => {
  try {
    parseInput(importedUser, given, 'body');
    return { given };
  } catch (error) {
    if (error instanceof AppError) return { refusal: toRefusal(given, error) };
    throw error;
  }
};

/** The user as it can be created, or what is wrong with the entry. */
export const prepareUser = async (
  { passwordPolicy }: Accounts,
  roles: RolePermissions,
  given: unknown,
): Promise<PreparedUser | AppError> => {
  try {
    const { password, ...user } = parseInput(importedUser, given, 'body');
    if (user.role !== undefined) requireKnownRole(roles, user.role);
    if (password === undefined) return { user, passwordHash: null };
    requireGoodPassword(password, passwordPolicy.current(), user);
    return { user, passwordHash: await hashPassword(password) };
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
};

/** Imports that another process stored or has lost; those of this process are begun at once. */
const POLL_MS = 10_000;
const HOUR_MS = 3_600_000;
const RETENTION_MS = 30 * 24 * HOUR_MS;
/** After so many users the requester's rights are judged again, and another import has its turn. */
const USERS_PER_TURN = 20;
/** Hashing takes some 20 ms of a core; more at a time would keep other sign-ins waiting. */
const AT_ONCE = 2;

export interface UserImportRunnerDeps {
  readonly db: Db;
  readonly config: Pick<FixedConfig, 'signIn'>;
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly log: Logger;
}

type Entry = Awaited<ReturnType<typeof readNextEntries>>[number];

/**
 * Does the imports of users that were requested, some users of each in turn. Each user is created in one transaction with the count of the
 * import, so a process that ends anywhere neither loses nor repeats one; another process continues when its lease is over.
 */
export class UserImportRunner implements Component {
  readonly name = 'user-imports';
  readonly #deps: UserImportRunnerDeps;
  readonly #loop: Loop;
  #sweptAt = 0;

  constructor(deps: UserImportRunnerDeps) {
    this.#deps = deps;
    this.#loop = new Loop({ name: this.name, intervalMs: POLL_MS, log: deps.log, run: (signal) => this.#round(signal) });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  health(): ReturnType<Loop['health']> {
    return this.#loop.health();
  }

  /** An import was stored. */
  nudge(): void {
    this.#loop.nudge();
  }

  async #round(signal: AbortSignal): Promise<boolean> {
    const { db, clock } = this.#deps;
    const now = clock.now().getTime();
    if (now - this.#sweptAt > HOUR_MS) {
      this.#sweptAt = now;
      await deleteUserImportsBefore(db, new Date(now - RETENTION_MS));
    }
    const claimed = await claimUserImport(db);
    if (claimed === undefined) return false;
    let problem: string | null = null;
    try {
      await this.#takeTurn(claimed, signal);
    } catch (error) {
      if (error instanceof UserImportLost) return true;
      problem = error instanceof Error ? error.name : 'unknown';
      throw error;
    } finally {
      await releaseUserImport(db, claimed, problem);
    }
    return true;
  }

  /** Who requested the import, with the permissions of now. Throws FORBIDDEN where they do not suffice any more. */
  async #requireImporter(held: UserImport): Promise<Principal> {
    const { db, config } = this.#deps;
    const requester = await requireRequester(db, config.signIn.roles, held);
    if (scopeOf(requester.permissions, 'users.create') !== 'all')
      throw reasonedError('FORBIDDEN', 'requester_permission_lost', { permission: 'users.create' });
    return requester;
  }

  async #takeTurn(held: UserImport, signal: AbortSignal): Promise<void> {
    const { db, config, accounts } = this.#deps;
    try {
      const by = await this.#requireImporter(held);
      const roles = await readRoles(db, accounts.roles);
      const entries = await readNextEntries(db, held.id, USERS_PER_TURN, config.signIn.appSecretKey);
      for (let start = 0; start < entries.length && !signal.aborted; start += AT_ONCE)
        await this.#importSome(held, by, roles, entries.slice(start, start + AT_ONCE));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      await failUserImport(db, held, { message: error.message, reason: error.details.reason });
    }
  }

  async #importSome(held: UserImport, by: Principal, roles: RolePermissions, entries: readonly Entry[]): Promise<void> {
    const { db, accounts } = this.#deps;
    if (entries.some(({ given }) => given === undefined))
      throw new AppError('FORBIDDEN', 'APP_SECRET_KEY has changed since the import was requested. Import the remaining users again.');
    const prepared = await Promise.all(entries.map(({ given }) => prepareUser(accounts, roles, given)));
    // one after the other, so that of two with the same name the first one counts
    for (const [offset, { position, given }] of entries.entries()) {
      const ready = prepared[offset];
      if (ready === undefined) continue;
      try {
        if (ready instanceof AppError) throw ready;
        await db.transaction(async (tx) => {
          const account = { ...ready.user, passwordHash: ready.passwordHash };
          const user = await accounts.registration.create(tx, account, by, held.address ?? undefined, 'user.imported');
          await settleEntry(tx, held, position, { userId: user.id });
        });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        await db.transaction((tx) => settleEntry(tx, held, position, { refusal: toRefusal(given, error) }));
      }
    }
  }
}

const toListedBody = (row: UserImport): ListedUserImportBody => ({
  id: row.id,
  state: row.state,
  total: row.total,
  done: row.done,
  imported: row.done - row.skipped,
  skipped: row.skipped,
  error: row.state === 'failed' ? row.error : null,
  error_code: row.errorCode,
  created_at: row.createdAt.toISOString(),
  finished_at: row.finishedAt?.toISOString() ?? null,
});

/** With what was skipped so far. */
export const toImportBody = async (db: Db, row: UserImport): Promise<z.infer<typeof userImportBody>> => {
  const errors = await readUserImportErrors(db, row.id);
  return { ...toListedBody(row), errors: errors.slice(0, row.skipped) };
};

const refusalToInvite = (check: () => void): AppError | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
};

/** New invitations of the users of an import who have no password yet; earlier ones end. Those whom the caller may not change are named. */
export const invite = (
  { accounts, database }: UserImportServices,
  { principal, address }: { readonly principal: Principal; readonly address: string | undefined },
  importId: string,
  isAudited: boolean,
): Promise<UserImportInvitationsBody> =>
  database.db.transaction(async (tx) => {
    const roles = await readRoles(tx, accounts.roles);
    const invited: User[] = [];
    const errors: UserImportInvitationsBody['errors'] = [];
    for (const { position, user } of await lockUsersToInvite(tx, importId)) {
      const refusal = refusalToInvite(() => requireMayChange(roles, principal, user));
      if (refusal === undefined) invited.push(user);
      else errors.push({ index: position, ...toRefusal(user, refusal) });
    }
    const invitations = await accounts.invitations.inviteAll(
      tx,
      invited.map(({ id }) => id),
    );
    if (isAudited)
      await recordAuditEntries(
        tx,
        invited.map(({ id }) => ({
          actor: principal,
          address,
          action: 'user.updated',
          outcome: 'success',
          subject: { type: 'user', id },
          details: { fields: ['invitation'] },
        })),
      );
    const names = new Map(invited.map(({ id, username }) => [id, username]));
    return {
      invitations: invitations.map(({ userId, token, expiresAt }) => ({
        username: names.get(userId) ?? '',
        token,
        expires_at: expiresAt.toISOString(),
      })),
      errors,
    };
  });

export const listImports = ({ cursors }: UserImportServices): Route =>
  rowListRoute({
    cursors,
    path: '/api/users/imports',
    access: 'users.create',
    summary: 'List imports of users, newest first',
    description: 'Those that the caller requested; users who may change all users see those of everybody. They are kept for 30 days.',
    query: userImportListQuery,
    name: 'data',
    item: listedUserImportBody,
    list: listUserImports,
    listAfter: listUserImportsAfter,
    toBody: toListedBody,
  });

export const readImport = ({ database }: UserImportServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/users/imports/{id}',
    access: 'users.create',
    summary: 'Get an import of users, its progress and its result',
    description:
      'For the user who requested the import, and for users who may change all users. Results are kept for 30 days. POST /api/users/imports/{id}/invitations creates the invitations.',
    errors: { IMPORT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: userImportBody,
    handle: async ({ params, principal }) => toImportBody(database.db, await getUserImport(database.db, principal, params.id)),
  });

export const inviteImported = (services: UserImportServices): Route =>
  createRoute({
    path: '/api/users/imports/{id}/invitations',
    access: 'users.create',
    summary: 'Invite the imported users without a password',
    description:
      'New invitations for all users of the import who have not set a password yet; they replace earlier ones and are valid for 7 days. They are returned once and not sent by e-mail. Users who may do more than the caller are listed in `errors`. An API key can do this only for imports that it requested.',
    errors: { IMPORT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    carriesCredentials: true,
    response: userImportInvitationsBody,
    handle: async ({ params, principal, context: { address } }) => {
      const row = await getUserImport(services.database.db, principal, params.id);
      // a key that leaked must not be a way to sign in as somebody whom another one imported
      if (principal.via === 'key' && row.requestedKeyId !== principal.keyId) throw reasonedError('FORBIDDEN', 'not_with_a_key');
      return invite(services, { principal, address }, row.id, true);
    },
  });

/** What the routes of users use. */
export interface UserServices {
  readonly config: Pick<FixedConfig, 'publicUrl' | 'server' | 'signIn'>;
  readonly database: Database;
  readonly accounts: Accounts;
  /** Writes the audit log, and tells users of what concerns them. */
  readonly audit: Audit;
  readonly identity: Pick<Identity, 'reauthenticator' | 'mfa'>;
  /** Undefined where users have no watch directories (ENABLE_PER_USER_WATCH=false). */
  readonly watchDirectories: WatchDirectoryDeps | undefined;
  readonly cursors: Cursors;
  readonly clock: Clock;
}

/** What the routes of imports of users use. */
export interface UserImportServices extends Pick<UserServices, 'config' | 'database' | 'accounts' | 'cursors'> {
  /** Does the imports that were stored. */
  readonly userImports: Pick<UserImportRunner, 'nudge'>;
}
