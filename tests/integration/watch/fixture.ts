import { mkdir, mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { User } from '@sheaf/db/schema';
import { recordLedger } from '@sheaf/ingest';
import { silentLogger } from '@sheaf/process';
import { givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { findUserRoots, type Initiator, type WatchDirectoryDeps } from '@sheaf/watch';

/** A folder for watch directories, in a database of its own. */
export interface DirectoryBench extends AsyncDisposable {
  readonly deps: WatchDirectoryDeps;
  readonly database: TestDatabase;
  readonly base: string;
  readonly by: Initiator;
  readonly user: (username: string) => Promise<User>;
  /** Writes a file below the base. */
  readonly put: (path: string, text?: string) => Promise<void>;
  /** Notes a file as imported. */
  readonly note: (path: string, owner: User, facts?: { sizeBytes: number; modifiedAt: Date }) => Promise<void>;
  readonly ledger: () => Promise<string[]>;
  /** `name of owner` of each row. */
  readonly rows: () => Promise<string[]>;
  readonly audits: () => Promise<string[]>;
  readonly onDisk: () => Promise<string[]>;
  /** `prefix of owner` of the roots that a scan is given. */
  readonly roots: () => Promise<string[]>;
}

export const openDirectoryBench = async (): Promise<DirectoryBench> => {
  const database = await openTestDatabase();
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-directories-'));
  const base = join(folder.path, 'users');
  const { db } = database;
  const deps = { db, baseFolder: base, clock: { now: () => new Date('2026-05-04T12:00:00Z') }, log: silentLogger() };
  const boss = await givenUser(db, { role: 'admin', username: 'boss' });
  const column = async (sql: string): Promise<string[]> => (await database.pool.query<{ text: string }>(sql)).rows.map(({ text }) => text);
  return {
    deps,
    database,
    base,
    by: { actor: { userId: boss.id, username: 'boss' }, address: '127.0.0.1' },
    user: (username) => givenUser(db, { username }),
    put: async (path, text = 'some words') => {
      await mkdir(dirname(join(base, path)), { recursive: true });
      await writeFile(join(base, path), text);
    },
    note: (path, owner, facts) => recordLedger(db, { route: 'user_watch', path, ownerId: owner.id, state: 'ingested', ...facts }),
    ledger: () => column('select path as text from ingest_ledger order by path'),
    rows: () =>
      column(
        "select name || ' of ' || coalesce(username, 'nobody') as text from watch_directories d left join users u on u.id = d.user_id order by name",
      ),
    audits: () => column("select action as text from audit_log where action like 'watch%' order by created_at"),
    onDisk: async () => (await readdir(base)).sort(),
    roots: async () => {
      const names = new Map((await database.pool.query('select id, username from users')).rows.map(({ id, username }) => [id, username]));
      const roots = await findUserRoots(deps)();
      return roots
        .map(({ ledgerPrefix, owner }) => `${ledgerPrefix} of ${'id' in owner ? names.get(owner.id) : owner.missing.code}`)
        .sort();
    },
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
};

/** What the api does with the row of a user, without what it does with their directory. */
export const rowOnly = ({ database }: DirectoryBench) => ({
  rename: (id: string, to: string) =>
    database.pool.query(`update users set username = $2, email = $2 || '@example.org' where id = $1`, [id, to]),
  remove: (id: string) => database.pool.query('delete from users where id = $1', [id]),
});
