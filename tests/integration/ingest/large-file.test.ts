import { join } from 'node:path';
import { Readable } from 'node:stream';
import { TempArea } from '@sheaf/storage';
import anyTest, { type TestFn } from 'ava';
import { canMount, mountSmallDisk } from '../../fixtures/small-disk.ts';
import { throwsUnavailable } from '../../support/throws-unavailable.ts';
import { type IngestBench, openIngestBench } from './fixture.ts';

const test = anyTest as TestFn<IngestBench>;

test.beforeEach(async (t) => {
  t.context = await openIngestBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const MIB = 1024 * 1024;

const textOf = (megabytes: number, everyMegabyte: () => void = () => {}): Readable =>
  Readable.from(
    (function* () {
      const megabyte = Buffer.alloc(MIB, 'harbour ledger entry\n');
      for (let i = 0; i < megabytes; i += 1) {
        everyMegabyte();
        for (let at = 0; at < MIB; at += 64 * 1024) yield megabyte.subarray(at, at + 64 * 1024);
      }
    })(),
  );

test('memory does not grow with the file', async (t) => {
  let most = 0;
  const before = process.memoryUsage.rss();
  const body = textOf(200, () => {
    most = Math.max(most, process.memoryUsage.rss());
  });
  t.is((await t.context.take(body, { maxBytes: 500 * MIB })).outcome, 'ingested');
  t.true(most - before < 50 * MIB, `grew by ${Math.round((most - before) / MIB)} MiB`);
});

const withSmallDisk = canMount() ? test : test.skip;
if (withSmallDisk !== test) process.stdout.write('tests that need a small disk are skipped: this user may not mount one\n');

withSmallDisk('a temporary folder that is full is an error of the service, and is empty afterwards', async (t) => {
  const path = join(t.context.folder, 'small');
  await using _disk = await mountSmallDisk(path);
  const temp = new TempArea(join(path, 'temp'));
  await throwsUnavailable(t, t.context.take(textOf(3), { maxBytes: 500 * MIB }, { temp }), 'storage_full');
  t.is((await t.context.take('small enough', {}, { temp })).outcome, 'ingested');
  t.is(await t.context.count("ingest_ledger where state = 'ingested'"), 1);
  t.is(await t.context.count("ingest_ledger where state = 'failed' and reason like '% is full. Free up disk space%'"), 1);
});
