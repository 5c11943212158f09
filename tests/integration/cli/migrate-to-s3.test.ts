// The steps of moving documents between two storages, here two folders, one of which passes for a bucket.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOriginal } from '@sheaf/cli/testing';
import { serviceUnavailable } from '@sheaf/contract';
import { deleteDocument, FILES_IN_BACKUP_LOCK, lockStoredBytes } from '@sheaf/documents';
import { removeStoredBytes } from '@sheaf/ingest';
import { JoinedStorage, type Storage } from '@sheaf/storage';
import { givenDocument, givenUser } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { sql } from 'drizzle-orm';
import { changedStorage } from '../../support/changed-storage.ts';
import { fullOnly } from '../../support/full-run.ts';
import { moveFileToTrash, moveFileToVersion } from '../../support/kept-elsewhere.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type GivenFile, openTransferBench, type TransferBench } from './transfer-bench.ts';

const test = anyTest as TestFn<TransferBench>;

test.beforeEach(async (t) => {
  t.context = await openTransferBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const s3 = (storage: Storage) => ({ place: 's3' as const, storage });
const local = (storage: Storage) => ({ place: 'local' as const, storage });

/** Every document's bytes are right where its row says. */
const assertNothingLost = async ({ db, local, remote }: TransferBench): Promise<void> => {
  const { rows } = await db.execute<{ sha256: string; file_path: string }>(sql`select distinct sha256, file_path from documents`);
  for (const { sha256, file_path: path } of rows) {
    const found = await readOriginal(path.startsWith('s3://') ? remote : local, sha256);
    if (found !== 'right') throw new Error(`${sha256} is ${found} at ${path}`);
  }
};

const joined = ({ local, remote }: TransferBench): JoinedStorage =>
  new JoinedStorage(local, [{ storage: remote, isInUse: async () => true }]);

/** As the service does: the row first, then the bytes, wherever they are. */
const deleteAll = async (bench: TransferBench, { sha256, ids }: GivenFile): Promise<void> => {
  for (const id of ids) await bench.db.transaction((tx) => deleteDocument(tx, id));
  await removeStoredBytes({ db: bench.db, storage: joined(bench) }, sha256);
};

const AWAY = serviceUnavailable('The storage does not answer; look whether it runs');

/** A storage that goes away after so many puts. */
const awayAfter = (storage: Storage, puts: number): Storage => {
  let left = puts;
  const isAway = (): boolean => left <= 0;
  return changedStorage(storage, {
    put: async (...args) => {
      if (isAway()) throw AWAY;
      left -= 1;
      return storage.put(...args);
    },
    check: async () => (isAway() ? { status: 'unhealthy', message: AWAY.message } : storage.check()),
  });
};

test('originals, previews and thumbnails of all documents are moved, and nothing stays behind', async (t) => {
  const { given, run, paths, keysIn, remote, local, leftovers } = t.context;
  const files = [];
  for (let i = 0; i < 8; i += 1) files.push(await given({ withDerived: i % 2 === 0 }));
  const all = await keysIn(local);
  const { stopped, tally } = await run();
  t.is(stopped, undefined);
  t.like(tally, { moved: 8, documents: 8, bytes: 16_000, left: 0, removedCopies: 8 });
  t.deepEqual(await paths(), files.map(({ key }) => `s3://test/${key}`).toSorted());
  t.deepEqual(await keysIn(remote), all);
  t.deepEqual(await keysIn(local), []);
  t.deepEqual(await leftovers(), []);
  await assertNothingLost(t.context);
});

fullOnly(test)('documents are moved back into the folder in the same way', async (t) => {
  const { given, run, paths, keysIn, remote, local: folder } = t.context;
  const files = [await given({ in: remote, withDerived: true }), await given({ in: remote }), await given({ in: folder })];
  const { tally } = await run({ source: s3(remote), target: local(folder) });
  t.like(tally, { moved: 2, left: 0 });
  t.deepEqual(await paths(), files.map(({ key }) => folder.pathOf(key)).toSorted());
  t.deepEqual(await keysIn(remote), []);
  await assertNothingLost(t.context);
});

test('documents of several owners with the same content move together, as one file', async (t) => {
  const { given, run, paths } = t.context;
  const { key } = await given({ owners: 3 });
  t.like((await run()).tally, { moved: 1, documents: 3 });
  t.deepEqual(await paths(), Array(3).fill(`s3://test/${key}`));
});

test('files of earlier versions and of documents in the trash are moved, and their rows know', async (t) => {
  const { given, run, db, database, keysIn, local: folder } = t.context;
  const [trashed, earlier, newest] = [await given(), await given({ withDerived: true }), await given()];
  await moveFileToTrash(database, String(trashed.ids[0]));
  await moveFileToVersion(database, String(earlier.ids[0]), String(newest.ids[0]));
  t.like((await run()).tally, { moved: 3, left: 0, removedCopies: 3 });
  const { rows } = await db.execute<{ path: string }>(sql`select file_path as path from kept_files order by file_path`);
  t.deepEqual(
    rows.map(({ path }) => path),
    [trashed, earlier, newest].map(({ key }) => `s3://test/${key}`).toSorted(),
  );
  t.deepEqual(await keysIn(folder), []);
});

test('documents in a third storage are not touched', async (t) => {
  const { db, run, paths } = t.context;
  await givenDocument(db, { ownerId: (await givenUser(db)).id, filePath: 'azure://container/documents/x' });
  t.like((await run()).tally, { moved: 0, left: 0 });
  t.deepEqual(await paths(), ['azure://container/documents/x']);
});

test('a damaged file is told with its document and stays where it is; the others are moved', async (t) => {
  const { given, run, spoil, local, keysIn } = t.context;
  const bad = await given({ withDerived: true });
  await given();
  await spoil('local', bad.key);
  const before = await keysIn(local);
  const { stopped, tally, lines } = await run();
  t.is(stopped, undefined);
  t.like(tally, { moved: 1, damaged: 1, missing: 0, failed: 0, left: 1 });
  t.true(lines.some((line) => line.startsWith(`damaged  ${bad.sha256}: document ${bad.ids[0]}: `)));
  t.deepEqual(
    await keysIn(local),
    before.filter((key) => key.includes(bad.sha256)),
  );
});

test('a missing file is told with its document, and its row stays', async (t) => {
  const { given, run, local, paths } = t.context;
  const lost = await given();
  await given();
  await local.delete(lost.key);
  const { tally, lines } = await run();
  t.like(tally, { moved: 1, missing: 1, damaged: 0, failed: 0 });
  t.true(lines.some((line) => line.startsWith(`missing  ${lost.sha256}: document ${lost.ids[0]}: `)));
  t.true((await paths()).includes(local.pathOf(lost.key)));
});

test('where only the target has the right bytes, only the rows are switched', async (t) => {
  const { given, run, local, remote, spoil, keysIn } = t.context;
  const [gone, bad] = [await given(), await given()];
  for (const { key, bytes } of [gone, bad]) await remote.put(key, bytes);
  await local.delete(gone.key);
  await spoil('local', bad.key);
  t.like((await run()).tally, { moved: 2, left: 0 });
  t.deepEqual(await keysIn(local), [], 'the damaged one is of no use any more');
  await assertNothingLost(t.context);
});

fullOnly(test)('a missing file is not taken for found because the target has a damaged one', async (t) => {
  const { given, run, local, remote, spoil, paths } = t.context;
  const file = await given();
  await remote.put(file.key, file.bytes);
  await spoil('remote', file.key);
  await local.delete(file.key);
  t.like((await run()).tally, { moved: 0, missing: 1 });
  t.deepEqual(await paths(), [local.pathOf(file.key)]);
});

test('a damaged object of the same size at the target is replaced, not taken for the file', async (t) => {
  const { given, run, remote, spoil } = t.context;
  const file = await given();
  await remote.put(file.key, Buffer.from(file.bytes));
  await spoil('remote', file.key);
  t.like((await run()).tally, { moved: 1, left: 0 });
  await assertNothingLost(t.context);
});

test('a target that does not return what was written gets no row, and keeps no wrong object', async (t) => {
  const { given, run, remote, local, paths } = t.context;
  const file = await given();
  const lying = changedStorage(remote, {
    put: (key) => remote.put(key, Buffer.alloc(2_000)),
    replace: (key) => remote.replace(key, Buffer.alloc(2_000)),
  });
  const { tally, lines } = await run({ target: s3(lying) });
  t.like(tally, { moved: 0, failed: 1 });
  t.true(lines.some((line) => /^failed .*differs from what was written/.test(line)));
  t.deepEqual(await paths(), [local.pathOf(file.key)]);
  t.is(await remote.stat(file.key), undefined);
  await assertNothingLost(t.context);
});

test('a document that is deleted while its file is on the way leaves no file at either place', async (t) => {
  const { given, run, remote, local, keysIn } = t.context;
  const file = await given({ withDerived: true });
  const target = changedStorage(remote, {
    put: async (key, source) => {
      if (key === file.key) await deleteAll(t.context, file);
      return remote.put(key, source);
    },
  });
  // The file that was read is gone by name, and its bytes are at hand all the same.
  const source = changedStorage(local, {
    localPath: async () => {
      const path = join(t.context.folder, 'held');
      await writeFile(path, file.bytes);
      return path;
    },
  });
  t.like((await run({ source: { place: 'local', storage: source }, target: s3(target) })).tally, { moved: 0, skipped: 1, left: 0 });
  t.deepEqual(await keysIn(remote), []);
  t.deepEqual(await keysIn(local), []);
});

test('a document that is deleted and uploaded again while its file is on the way keeps its file', async (t) => {
  const { given, run, remote, keysIn, local } = t.context;
  const file = await given();
  let wasDeleted = false;
  const target = changedStorage(remote, {
    open: async (key) => {
      const opened = await remote.open(key);
      if (wasDeleted) return opened;
      wasDeleted = true;
      await deleteAll(t.context, file);
      await given({ bytes: file.bytes });
      return opened; // what we have opened reads to its end, and is gone
    },
  });
  const { tally } = await run({ target: s3(target) });
  t.like(tally, { left: 1 });
  t.deepEqual(await keysIn(local), [file.key]);
  await assertNothingLost(t.context);
  t.like((await run()).tally, { moved: 1, left: 0 });
  await assertNothingLost(t.context);
});

test('an upload of the same content that is recorded just before the old copy would go keeps it until it has moved too', async (t) => {
  const { db, given, run, local, paths } = t.context;
  const file = await given();
  const late = await givenUser(db);
  const transaction = db.transaction.bind(db);
  let hasCome = false;
  db.transaction = async (work, options) => {
    const result = await transaction(work, options); // the first one switches the rows
    if (!hasCome) await givenDocument(db, { ownerId: late.id, sha256: file.sha256, filePath: local.pathOf(file.key), sizeBytes: 2_000 });
    hasCome = true;
    return result;
  };
  const needed: string[] = [];
  const source = changedStorage(local, {
    delete: async (key) => {
      needed.push(...(await paths()).filter((path) => path === local.pathOf(file.key)));
      return local.delete(key);
    },
  });
  t.like((await run({ source: { place: 'local', storage: source } })).tally, { moved: 2, documents: 2, removedCopies: 1, left: 0 });
  t.deepEqual(needed, []);
  t.deepEqual(await paths(), Array(2).fill(`s3://test/${file.key}`));
  await assertNothingLost(t.context);
});

/**
 * Records another document with the bytes at the source, as an upload does: under the lock of the bytes, and only when somebody
 * waits for that lock. `held` resolves when it has the lock.
 */
const recordUnderLock = async ({ db, local }: TransferBench, file: GivenFile, transaction = db.transaction.bind(db)) => {
  const owner = await givenUser(db);
  const { promise: held, resolve } = Promise.withResolvers<void>();
  const isAwaited = async (): Promise<boolean> => {
    const { rows } = await db.execute(sql`
      select from pg_locks join pg_database on pg_database.oid = database
      where locktype = 'advisory' and not granted and datname = current_database()`);
    return rows.length > 0;
  };
  const recorded = transaction(async (tx) => {
    await lockStoredBytes(tx, file.sha256, 'share');
    resolve();
    await waitFor(isAwaited, { description: 'somebody to wait for the lock', limitMs: 20_000 });
    await givenDocument(tx, { ownerId: owner.id, sha256: file.sha256, filePath: local.pathOf(file.key), sizeBytes: 2_000 });
  });
  return { held, recorded };
};

test('rows are switched only when nobody is about to record another one for the same content', async (t) => {
  const { given, run } = t.context;
  const file = await given();
  const { held, recorded } = await recordUnderLock(t.context, file);
  await held;
  t.like((await run()).tally, { moved: 1, documents: 2, left: 0 });
  await recorded;
  await assertNothingLost(t.context);
});

test('old copies are removed only when nobody is about to record another row for the same content', async (t) => {
  const { db, given, run, local } = t.context;
  const file = await given();
  const transaction = db.transaction.bind(db);
  let recording: Awaited<ReturnType<typeof recordUnderLock>> | undefined;
  db.transaction = async (work, options) => {
    const result = await transaction(work, options); // the first one switches the rows
    recording ??= await recordUnderLock(t.context, file, transaction);
    await recording.held;
    return result;
  };
  t.like((await run()).tally, { moved: 2, documents: 2, removedCopies: 1, left: 0 });
  await recording?.recorded;
  t.deepEqual(await t.context.keysIn(local), []);
  await assertNothingLost(t.context);
});

test('while a backup runs the old copies stay, and go with the next run', async (t) => {
  const { database, given, run, keysIn, local } = t.context;
  const file = await given();
  const backup = await database.pool.connect();
  try {
    await backup.query('select pg_advisory_lock($1, $2)', [...FILES_IN_BACKUP_LOCK]);
    t.like((await run()).tally, { moved: 1, keptCopies: 1, removedCopies: 0 });
    t.deepEqual(await keysIn(local), [file.key]);
  } finally {
    await backup.query('select pg_advisory_unlock($1, $2)', [...FILES_IN_BACKUP_LOCK]);
    backup.release();
  }
  t.like((await run()).tally, { keptCopies: 0, removedCopies: 1 });
  t.deepEqual(await keysIn(local), []);
});

test('the local copy of a document that is being read stays for its reader, and goes with the next run', async (t) => {
  const { db, given, run, keysIn, local, paths } = t.context;
  const file = await given();
  await db.execute(sql`update documents set status = 'processing'`);
  t.like((await run()).tally, { moved: 1, keptCopies: 1, removedCopies: 0, left: 0 });
  t.deepEqual(await paths(), [`s3://test/${file.key}`]);
  t.deepEqual(await keysIn(local), [file.key]);
  await db.execute(sql`update documents set status = 'completed'`);
  t.like((await run()).tally, { moved: 0, keptCopies: 0, removedCopies: 1 });
  t.deepEqual(await keysIn(local), []);
});

fullOnly(test)(
  'previews and thumbnails that the service made at the source meanwhile follow, and orphans stay for the sweep',
  async (t) => {
    const { given, run, keysIn, local, remote } = t.context;
    const file = await given();
    await run();
    const late = `previews/${file.key.slice('documents/'.length)}.pdf`;
    await local.put(late, Buffer.from('a preview'));
    const orphan = 'documents/00/00/'.padEnd(80, '0');
    await local.put(orphan, Buffer.from('nobody refers to it'));
    t.like((await run()).tally, { moved: 0, left: 0 });
    t.deepEqual(await keysIn(remote), [file.key, late]);
    t.deepEqual(await keysIn(local), [orphan]);
  },
);

test('a target that goes away stops the run: what has moved is moved, the rest is where it was', async (t) => {
  const { given, run, remote } = t.context;
  for (let i = 0; i < 10; i += 1) await given();
  const { stopped, tally, lines } = await run({ target: s3(awayAfter(remote, 4)) });
  t.regex(stopped ?? '', /does not answer/);
  t.is(tally.moved, 4);
  t.true(lines.some((line) => line.startsWith('stopped: ')));
  await assertNothingLost(t.context);
  t.like((await run()).tally, { moved: 6, left: 0 });
  await assertNothingLost(t.context);
});

fullOnly(test)(
  'with rollback a target that goes away leaves every document at its old copy, and the next run goes on from the new ones',
  async (t) => {
    const { given, run, remote, local, paths, keysIn } = t.context;
    const files = [];
    for (let i = 0; i < 10; i += 1) files.push(await given({ withDerived: i === 0 }));
    const before = await keysIn(local);
    const { stopped, tally } = await run({ keepsOldCopies: true, target: s3(awayAfter(remote, 4)) });
    t.regex(stopped ?? '', /does not answer/);
    t.true(tally.rolledBack > 0);
    t.is(tally.notRolledBack, 0);
    t.deepEqual(await paths(), files.map(({ key }) => local.pathOf(key)).toSorted());
    t.deepEqual(await keysIn(local), before);
    await assertNothingLost(t.context);
    t.like((await run({ keepsOldCopies: true })).tally, { moved: 10, removedCopies: 10, left: 0 });
    t.deepEqual(await keysIn(local), []);
    t.deepEqual(await keysIn(remote), before);
    await assertNothingLost(t.context);
  },
);

test('with rollback no old copy goes before everything has arrived', async (t) => {
  const { given, run, remote, local, keysIn } = t.context;
  for (let i = 0; i < 5; i += 1) await given();
  let deletesBeforeLastPut = 0;
  let puts = 0;
  const target = changedStorage(remote, {
    put: (...args) => {
      puts += 1;
      return remote.put(...args);
    },
  });
  const source = changedStorage(local, {
    delete: (...args) => {
      if (puts < 5) deletesBeforeLastPut += 1;
      return local.delete(...args);
    },
  });
  t.like((await run({ keepsOldCopies: true, source: { place: 'local', storage: source }, target: s3(target) })).tally, {
    removedCopies: 5,
  });
  t.is(deletesBeforeLastPut, 0);
  t.deepEqual(await keysIn(local), []);
});

test('with rollback a request to stop switches everything back', async (t) => {
  const { given, run, remote, local, paths } = t.context;
  for (let i = 0; i < 6; i += 1) await given();
  const stop = new AbortController();
  const target = changedStorage(remote, {
    put: (...args) => {
      stop.abort();
      return remote.put(...args);
    },
  });
  const { stopped, tally } = await run({ keepsOldCopies: true, signal: stop.signal, target: s3(target) });
  t.is(stopped, 'stopped by a signal');
  t.true(tally.rolledBack > 0 && tally.moved < 6);
  t.true((await paths()).every((path) => path.startsWith(local.place)));
  await assertNothingLost(t.context);
});

fullOnly(test)('without rollback a request to stop ends after the files that are on their way, which are whole', async (t) => {
  const { given, run, remote } = t.context;
  for (let i = 0; i < 6; i += 1) await given();
  const stop = new AbortController();
  const target = changedStorage(remote, {
    put: (...args) => {
      stop.abort();
      return remote.put(...args);
    },
  });
  const { stopped, tally } = await run({ signal: stop.signal, target: s3(target) });
  t.is(stopped, 'stopped by a signal');
  t.true(tally.moved > 0 && tally.moved < 6);
  await assertNothingLost(t.context);
});

test('with rollback a single damaged file does not take the others back', async (t) => {
  const { given, run, spoil, keysIn, local } = t.context;
  const bad = await given();
  await given();
  await spoil('local', bad.key);
  const { stopped, tally } = await run({ keepsOldCopies: true });
  t.is(stopped, undefined);
  t.like(tally, { moved: 1, damaged: 1, removedCopies: 1, rolledBack: 0 });
  t.deepEqual(await keysIn(local), [bad.key]);
});

fullOnly(test)('with rollback the old copies stay while a file has failed that may arrive with the next run', async (t) => {
  const { given, run, remote, local, keysIn } = t.context;
  const stubborn = await given();
  await given();
  const target = changedStorage(remote, {
    put: async (key, source) => {
      if (key === stubborn.key) throw new Error('not this one');
      return remote.put(key, source);
    },
  });
  t.like((await run({ keepsOldCopies: true, target: s3(target) })).tally, { moved: 1, failed: 1, removedCopies: 0, rolledBack: 0 });
  t.is((await keysIn(local)).length, 2);
  t.like((await run({ keepsOldCopies: true })).tally, { moved: 1, failed: 0, removedCopies: 2 });
  t.deepEqual(await keysIn(local), []);
});

test('rolling back leaves a document with its new copy where the old one has gone bad', async (t) => {
  const { given, run, remote, local, spoil, paths } = t.context;
  const files = [await given(), await given(), await given()].toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1)); // as they are moved
  const [first, second, third] = files.map(({ key }) => key);
  const source = changedStorage(local, {
    localPath: async (key) => {
      if (key === third) await spoil('local', first ?? '');
      return local.localPath(key);
    },
  });
  const sides = { source: { place: 'local' as const, storage: source }, target: s3(awayAfter(remote, 2)) };
  const { tally, lines } = await run({ keepsOldCopies: true, parallel: 1, ...sides });
  t.like(tally, { rolledBack: 1, notRolledBack: 1 });
  t.true(lines.some((line) => line.startsWith(`kept     ${files[0]?.sha256}: document `)));
  t.deepEqual(await paths(), [local.pathOf(second ?? ''), local.pathOf(third ?? ''), `s3://test/${first}`]);
  await assertNothingLost(t.context);
});

test('what is verified after moving is read again; with rollback one wrong object takes everything back', async (t) => {
  const { given, run, remote, spoil, local, paths, keysIn } = t.context;
  const files = [await given(), await given(), await given()];
  let reads = 0;
  const target = changedStorage(remote, {
    open: async (key) => {
      reads += 1;
      if (reads === 4) await spoil('remote', key); // after three files were read back
      return remote.open(key);
    },
  });
  const { stopped, tally, lines } = await run({ keepsOldCopies: true, target: s3(target) }, { sampleSize: undefined });
  t.regex(stopped ?? '', /verification of the moved files failed/);
  t.like(tally, { moved: 3, verified: 2, mismatched: 1, rolledBack: 3 });
  t.true(lines.some((line) => /^wrong .* damaged$/.test(line)));
  t.deepEqual(await paths(), files.map(({ key }) => local.pathOf(key)).toSorted());
  t.is((await keysIn(local)).length, 3);
  await assertNothingLost(t.context);
});

test('with nothing to move, verifying is a check of the target alone, of all files or of a sample', async (t) => {
  const { given, run, remote, spoil } = t.context;
  const files = [];
  for (let i = 0; i < 7; i += 1) files.push(await given({ in: remote }));
  t.like((await run({}, { sampleSize: undefined })).tally, { moved: 0, verified: 7, mismatched: 0 });
  t.like((await run({}, { sampleSize: 3 })).tally, { verified: 3, mismatched: 0 });
  t.like((await run({}, { sampleSize: 30 })).tally, { verified: 7 });
  const [bad, lost] = files;
  await spoil('remote', bad?.key ?? '');
  await remote.delete(lost?.key ?? '');
  t.like((await run({}, { sampleSize: undefined })).tally, { verified: 5, mismatched: 2 });
});

fullOnly(test)(
  'old copies of a killed run go only when the new ones are read and right; a new one that went bad is mended by the old one',
  async (t) => {
    const { given, run, remote, local, spoil, keysIn } = t.context;
    const [good, bad] = [await given({ in: remote }), await given({ in: remote })];
    for (const { key, bytes } of [good, bad]) await local.put(key, bytes);
    await spoil('remote', bad.key);
    t.like((await run()).tally, { moved: 0, removedCopies: 2, left: 0 });
    t.deepEqual(await keysIn(local), []);
    await assertNothingLost(t.context);
  },
);

test('an old copy stays, and is told, where the new one is not right and cannot be mended', async (t) => {
  const { given, run, remote, local, spoil, keysIn } = t.context;
  const file = await given({ in: remote });
  await local.put(file.key, file.bytes);
  await spoil('remote', file.key);
  await spoil('local', file.key);
  const { tally, lines } = await run();
  t.like(tally, { failed: 1, removedCopies: 0 });
  t.true(lines.some((line) => line.startsWith(`failed   ${file.sha256}: document ${file.ids[0]}: old copy not removed`)));
  t.deepEqual(await keysIn(local), [file.key]);
});

fullOnly(test)('many failures one after the other stop the run', async (t) => {
  const { given, run, remote } = t.context;
  for (let i = 0; i < 25; i += 1) await given();
  const target = changedStorage(remote, {
    put: async () => {
      throw new Error('always the same');
    },
  });
  const { stopped, tally } = await run({ target: s3(target), parallel: 1 });
  t.regex(stopped ?? '', /20 files failed in a row.*always the same/);
  t.is(tally.failed, 19);
  await assertNothingLost(t.context);
});

test('a running service that would not find what is moved stops the run before the next batch', async (t) => {
  const { given, run } = t.context;
  for (let i = 0; i < 9; i += 1) await given();
  let asked = 0;
  const mayGoOn = async (): Promise<void> => {
    asked += 1;
    if (asked > 1) throw new Error('a process does not know the bucket');
  };
  const { stopped, tally } = await run({ mayGoOn });
  t.regex(stopped ?? '', /does not know the bucket/);
  t.is(tally.moved, 3);
  await assertNothingLost(t.context);
});

fullOnly(test)('while files are deleted and come again, nothing is lost and nothing is left', async (t) => {
  const { db, given, run, local } = t.context;
  const files: GivenFile[] = [];
  for (let i = 0; i < 40; i += 1) files.push(await given({ withDerived: i % 5 === 0 }));
  const running = new AbortController();
  const restless = async (start: number): Promise<void> => {
    for (let i = start; !running.signal.aborted || i < start + 3; i += 7) {
      const file = files[i % files.length];
      if (file === undefined) continue;
      await deleteAll(t.context, file);
      files[i % files.length] = await given({ bytes: file.bytes });
    }
  };
  const disturbing = [restless(0), restless(3)];
  const { stopped } = await run({ parallel: 4 });
  running.abort();
  await Promise.all(disturbing);
  t.is(stopped, undefined);
  t.like((await run()).tally, { left: 0 });
  await assertNothingLost(t.context);
  const { rows } = await db.execute<{ n: string }>(sql`select count(*) as n from documents where file_path not like 's3://%'`);
  t.is(Number(rows[0]?.n), 0);
  t.deepEqual(await t.context.keysIn(local), []);
});

fullOnly(test)('the temporary folder is empty again, whatever happened', async (t) => {
  const { given, run, remote, local, leftovers, folder } = t.context;
  for (let i = 0; i < 4; i += 1) await given({ in: remote });
  const source = changedStorage(remote, {
    localPath: async (key, scratch) => {
      const path = join(scratch, 'copy');
      await writeFile(path, 'half of it');
      if (key.endsWith('0')) throw new Error('cut');
      return path;
    },
  });
  t.like((await run({ source: s3(source), target: { place: 'local', storage: local } })).tally, { left: 4 });
  t.deepEqual(await leftovers(), []);
  await rm(join(folder, 'temp'), { recursive: true });
});
