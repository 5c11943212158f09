import type { Accounts } from '@sheaf/accounts';
import {
  claimUserImport,
  deleteUserImportsBefore,
  failUserImport,
  readNextEntries,
  releaseUserImport,
  settleEntry,
  UserImportLost,
} from '@sheaf/accounts/users';
import type { FixedConfig } from '@sheaf/config';
import { AppError, reasonedError } from '@sheaf/contract';
import { type Db, readRoles } from '@sheaf/db';
import { requireRequester } from '@sheaf/db/requester';
import type { UserImport } from '@sheaf/db/schema';
import { type Clock, type Component, type Logger, Loop } from '@sheaf/process';
import { type Principal, type RolePermissions, scopeOf } from '@sheaf/vocabulary/permissions';
import { prepareUser, toRefusal } from './imported-user.ts';

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
