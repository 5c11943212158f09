import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { FindingCounts, StoredFileTotals } from '@sheaf/ingest/integrity';
import { noteFileChecks } from '@sheaf/ingest/integrity';
import { Scrubber } from '@sheaf/ingest/testing/integrity';
import { constant, silentLogger } from '@sheaf/process';
import type { Storage } from '@sheaf/storage';
import anyTest, { type TestFn } from 'ava';
import { changedStorage } from '../../support/changed-storage.ts';
import { fullOnly } from '../../support/full-run.ts';
import { ADMINISTRATORS } from '../../support/notification-policies.ts';
import { type IntegrityBench, makeUnreadable, openIntegrityBench } from './integrity-fixture.ts';

const test = anyTest as TestFn<IntegrityBench>;

test.beforeEach(async (t) => {
  t.context = await openIntegrityBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const DAY_MS = 24 * 3_600_000;
const PERIOD_MS = 30 * DAY_MS;

/** A scrubber on a clock that is moved by hand, and what it read and said. */
const openScrubber = ({ db, storage }: IntegrityBench, options: { storage?: Storage; periodMs?: number | undefined } = {}) => {
  let nowMs = Date.now();
  const seen: { totals: StoredFileTotals; findings: FindingCounts }[] = [];
  let readBytes = 0;
  const metrics = {
    read: (bytes: number) => void (readBytes += bytes),
    seen: (totals: StoredFileTotals, findings: FindingCounts) => void seen.push({ totals, findings }),
  };
  const clock = { now: () => new Date(nowMs) };
  const periodMs = 'periodMs' in options ? options.periodMs : PERIOD_MS;
  const make = () =>
    new Scrubber(
      { db, alerts: ADMINISTRATORS, storage: options.storage ?? storage, clock, log: silentLogger(), metrics },
      { periodMs: constant(periodMs), maxBytesPerSecond: 1e12, secondLookMs: 0 },
    );
  const scrubber = make();
  const { signal } = new AbortController();
  return {
    scrubber,
    make,
    clock,
    pass: (ms: number) => (nowMs += ms),
    step: () => scrubber.step(signal),
    /** Steps for `ms` of its time, of which each rest takes some minutes at least. */
    run: async (ms: number, on = scrubber) => {
      for (const endMs = nowMs + ms; nowMs < endMs; ) nowMs += Math.max(15 * 60_000, await on.step(signal));
    },
    readBytes: () => readBytes,
    seen: () => seen.at(-1),
  };
};

const NOTHING = { missing: 0, changed: 0, unreadable: 0 };
const CHECKS = 'select sha256, finding from stored_file_checks order by sha256';
const ALERTS = `select data->>'level' as level, data->>'component' as component from events where type = 'alert' order by id`;

fullOnly(test)('every file is read once within the period, spread over it, and again in the next one', async (t) => {
  const { store, rows } = t.context;
  for (let n = 0; n < 40; n += 1) await store();
  const { run, pass, readBytes } = openScrubber(t.context);
  await run(DAY_MS);
  const early = await rows(CHECKS);
  t.true(early.length > 10 && early.length < 40, `${early.length} files were read on the first day`);
  await run(3 * DAY_MS);
  t.is((await rows(CHECKS)).length, 40);
  t.is(readBytes(), 40 * 2_000);
  await run(10 * DAY_MS);
  t.is(readBytes(), 40 * 2_000, 'a file was read twice within the period');
  pass(20 * DAY_MS);
  await run(5 * DAY_MS);
  t.is(readBytes(), 2 * 40 * 2_000);
});

test('a missing, a changed and an unreadable file are found, and told once', async (t) => {
  const { storage, store, spoil, lose, rows } = t.context;
  const [right, missing, changed, unreadable] = [await store(), await store(), await store(), await store()];
  await lose(missing);
  await spoil(changed);
  await makeUnreadable(storage, unreadable.sha256);
  const { run, scrubber } = openScrubber(t.context);
  await run(DAY_MS);
  const expected = [
    { sha256: right.sha256, finding: null },
    { sha256: missing.sha256, finding: 'missing' },
    { sha256: changed.sha256, finding: 'changed' },
    { sha256: unreadable.sha256, finding: 'unreadable' },
  ];
  t.deepEqual(
    await rows(CHECKS),
    expected.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1)),
  );
  t.deepEqual(scrubber.findings, { missing: 1, changed: 1, unreadable: 1 });
  const alerts = (await rows(ALERTS)) as { level: string; component: string }[];
  t.is(alerts.filter(({ level }) => level === 'critical').length, 1);
  t.true(alerts.every(({ component }) => component === 'stored_files'));
});

test('a file that was restored is known to be right within two hours, and the end of the last finding is told', async (t) => {
  const { storage, store, spoil, rows } = t.context;
  const changed = await store();
  await spoil(changed);
  const { run, scrubber, clock } = openScrubber(t.context);
  await run(3_600_000);
  const [before] = await rows('select found_at from stored_file_checks');
  await run(2 * 3_600_000);
  const [still] = await rows('select found_at, checked_at from stored_file_checks');
  t.deepEqual(still?.['found_at'], before?.['found_at'], 'the time since when is kept');
  t.true((still?.['checked_at'] as Date) > (before?.['found_at'] as Date), 'it is read again');
  await storage.replace(`documents/${changed.sha256.slice(0, 2)}/${changed.sha256.slice(2, 4)}/${changed.sha256}`, changed.bytes);
  await run(2 * 3_600_000);
  t.deepEqual(scrubber.findings, NOTHING);
  t.deepEqual(await rows('select finding, found_at from stored_file_checks'), [{ finding: null, found_at: null }]);
  t.deepEqual(
    (await rows(ALERTS)).map(({ level }) => level),
    ['critical', 'info'],
  );
  t.true(clock.now() > new Date());
});

test('a storage that is away is no finding, and its files are read when it is back', async (t) => {
  const { folder, store, rows } = t.context;
  for (let n = 0; n < 3; n += 1) await store();
  const { run, scrubber, readBytes } = openScrubber(t.context);
  await rename(join(folder, 'uploads'), join(folder, 'elsewhere'));
  await run(3_600_000);
  t.deepEqual(await rows(CHECKS), []);
  t.deepEqual(scrubber.findings, NOTHING);
  await rename(join(folder, 'elsewhere'), join(folder, 'uploads'));
  await run(DAY_MS);
  t.is((await rows(CHECKS)).length, 3);
  t.is(readBytes(), 3 * 2_000);
});

test('a storage that goes away does not undo what was found', async (t) => {
  const { folder, store, spoil, rows } = t.context;
  await spoil(await store());
  const { run } = openScrubber(t.context);
  await run(3_600_000);
  await rename(join(folder, 'uploads'), join(folder, 'elsewhere'));
  await run(3 * 3_600_000);
  t.deepEqual(
    (await rows(CHECKS)).map(({ finding }) => finding),
    ['changed'],
  );
});

test('a scrub that was stopped goes on where it was', async (t) => {
  const { store, rows } = t.context;
  for (let n = 0; n < 10; n += 1) await store();
  const { step, make, run, readBytes } = openScrubber(t.context);
  await step();
  t.is((await rows(CHECKS)).length, 1);
  await run(2 * DAY_MS, make());
  t.is((await rows(CHECKS)).length, 10);
  t.is(readBytes(), 10 * 2_000);
});

test('while a document is read the scrub waits, unless it is late', async (t) => {
  const { store, rows } = t.context;
  const { id } = await store();
  await rows(
    `insert into ocr_jobs (id, document_id, status, max_attempts, lease_by, lease_until) values (gen_random_uuid(), $1, 'processing', 3, 'reader', now() + interval '1 day')`,
    id,
  );
  const { run, pass } = openScrubber(t.context);
  await run(3_600_000);
  t.deepEqual(await rows(CHECKS), []);
  pass(PERIOD_MS);
  await run(3_600_000);
  t.is((await rows(CHECKS)).length, 1);
});

test('what is known of a file goes with its last document', async (t) => {
  const { store, spoil, rows } = t.context;
  await spoil(await store());
  await store();
  const { run, scrubber } = openScrubber(t.context);
  await run(DAY_MS);
  t.is((await rows(CHECKS)).length, 2);
  await rows('delete from documents');
  await run(3_600_000);
  t.deepEqual(await rows(CHECKS), []);
  t.deepEqual(scrubber.findings, NOTHING);
  t.deepEqual(
    (await rows(ALERTS)).map(({ level }) => level),
    ['critical', 'info'],
  );
});

test('where nothing is to be read, what others found is still told', async (t) => {
  const { db, store, spoil, rows } = t.context;
  const document = await store();
  await spoil(document);
  await store();
  const { run, scrubber, readBytes } = openScrubber(t.context, { periodMs: undefined });
  await run(DAY_MS);
  t.deepEqual(await rows(CHECKS), []);
  await noteFileChecks({ db, alerts: ADMINISTRATORS }, [{ sha256: document.sha256, finding: 'changed', at: new Date() }]);
  await run(3_600_000);
  t.like(scrubber.findings, { changed: 1 });
  t.is(readBytes(), 0);
});

fullOnly(test)('a file that never can be read does not keep the others from being read', async (t) => {
  const { storage, store, rows } = t.context;
  const documents = [await store(), await store(), await store()];
  const stubborn = documents[0]?.sha256 ?? '';
  const partly = changedStorage(storage, {
    open: (key) => (key.endsWith(stubborn) ? Promise.reject(Object.assign(new Error('bad'), { code: 'EIO' })) : storage.open(key)),
    check: async () => ({ status: 'warning', message: 'nearly full' }),
  });
  const { run } = openScrubber(t.context, { storage: partly });
  await run(2 * DAY_MS);
  t.deepEqual(
    (await rows(CHECKS)).map(({ sha256 }) => sha256),
    documents
      .map(({ sha256 }) => sha256)
      .filter((sha256) => sha256 !== stubborn)
      .toSorted(),
  );
});

test('what is measured are the files by what was found, their bytes, and since when all were read', async (t) => {
  const { store, lose } = t.context;
  await lose(await store());
  await store();
  const { run, step, pass, seen } = openScrubber(t.context);
  await step();
  t.like(seen()?.totals, { files: 2, bytes: 4_000, unchecked: 2, oldestCheckAt: undefined });
  await run(DAY_MS);
  pass(3_600_000);
  await step();
  t.like(seen()?.totals, { files: 2, unchecked: 0 });
  t.truthy(seen()?.totals.oldestCheckAt);
  t.deepEqual(seen()?.findings, { missing: 1, changed: 0, unreadable: 0 });
});
