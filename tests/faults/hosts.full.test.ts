// OCR workers of several hosts, each with a network, a name and a clock of its own, of which one is lost or comes back.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { testWhere } from '../support/conditional-test.ts';
import { canMakeNetworks } from '../support/host-network.ts';
import { type HostScene, LEASE_SECONDS, openHostScene, type SceneHost } from '../support/host-scene.ts';
import { hasFakeTime } from '../support/namespaced-worker.ts';
import { waitFor } from '../support/wait-for.ts';

const test = anyTest as TestFn<HostScene>;
const isPossible = await canMakeNetworks();
const testHosts = testWhere(isPossible, 'network namespaces cannot be made here (root and iproute2 are needed)', test.serial);
if (isPossible && !hasFakeTime) process.stdout.write('skipped: the clocks of the hosts are right, as libfaketime is not installed\n');

const WAITS_IN_DATABASE = join(import.meta.dirname, '../fixtures/hosts/wait-in-database.ts');
const PAGES = 12;
const PAGE_SECONDS = 0.4;
const LEASE_MS = LEASE_SECONDS * 1_000;

let opened: HostScene | undefined;
test.before(async (t) => {
  t.timeout(600_000);
  if (!isPossible) return;
  opened = await openHostScene({
    hosts: ['early', 'late', 'right'],
    pageSeconds: PAGE_SECONDS,
    clockOffsetSeconds: { early: 600, late: -600 },
  });
  t.context = opened;
});
test.after.always(() => opened?.[Symbol.asyncDispose]());

interface Outcome {
  /** Pages that were given to an engine more than once, and how often more. */
  readonly repeated: number;
  /** When the engine of this host began a page of these documents last, in the time of `performance.now`. */
  lastBegunMs(host: string): number;
}

/** Waits until all are completed, and compares what is stored with what the engines were given. */
const completedOnce = async (t: ExecutionContext<HostScene>, ids: readonly string[]): Promise<Outcome> => {
  const { database, readings } = t.context;
  const { pool } = database;
  await waitFor(
    async () => {
      const { rows } = await pool.query("select from ocr_jobs where document_id = any($1) and status not in ('completed', 'failed')", [
        ids,
      ]);
      return rows.length === 0;
    },
    { description: 'the end of all documents', limitMs: 90_000 },
  );
  const { rows: ended } = await pool.query(
    `select documents.status, page_count, ocr_jobs.error_code,
       (select count(*)::int from events where document_id = documents.id and type = 'ocr_progress' and data->>'status' = 'completed') as completions,
       (select count(*)::int from events where document_id = documents.id and type = 'document_updated') as updates
     from documents join ocr_jobs on ocr_jobs.document_id = documents.id where documents.id = any($1)`,
    [ids],
  );
  t.deepEqual(
    ended,
    ids.map(() => ({ status: 'completed', page_count: PAGES, error_code: null, completions: 1, updates: 1 })),
  );
  const { rows: pages } = await pool.query<{ document_id: string; page: number; picture: string }>(
    `select document_id, page, substring(content from '[0-9a-f]{32}') as picture from document_pages where document_id = any($1)`,
    [ids],
  );
  t.is(pages.length, ids.length * PAGES);
  const pictures = new Set(pages.map(({ picture }) => picture));
  t.is(pictures.size, pages.length, 'each page has the text of a picture of its own');
  const given = readings.filter(({ picture }) => pictures.has(picture));
  return {
    repeated: given.length - pictures.size,
    lastBegunMs: (host) => Math.max(...given.filter(({ engine }) => engine === host).map(({ atMs }) => atMs)),
  };
};

/** Waits until this host is given pages of new documents. */
const worksOn = async (t: ExecutionContext<HostScene>, host: string): Promise<void> => {
  const before = performance.now();
  const ids = await t.context.addDocuments(4, PAGES);
  await waitFor(() => t.context.readings.some(({ engine, atMs }) => engine === host && atMs > before), {
    description: `${host} to process pages`,
    limitMs: 30_000,
  });
  t.is((await completedOnce(t, ids)).repeated, 0);
};

/** While the lease lasts a page is begun again and again, and one more may be under way at its end. */
const PAGES_OF_A_LEASE = Math.ceil(LEASE_SECONDS / PAGE_SECONDS) + 1;

testHosts('hosts whose clocks are ten minutes apart take nothing from each other, and are seen as running', async (t) => {
  t.timeout(300_000);
  const ids = await t.context.addDocuments(3, PAGES);
  t.is((await completedOnce(t, ids)).repeated, 0);
  const { rows } = await t.context.database.pool.query<{ host: string; skew: number }>(
    'select host, abs(extract(epoch from now() - seen_at))::float8 as skew from processes',
  );
  t.is(rows.length, 3);
  for (const { host, skew } of rows) t.true(skew < 60, `${host} was seen ${skew} s from now`);
});

testHosts('the documents of a host that dies are completed by the others, but for the pages that it was at', async (t) => {
  t.timeout(300_000);
  const ids = await t.context.addDocuments(3, PAGES);
  const { host } = await t.context.amidst(ids, 2);
  await host.worker.kill();
  t.true((await completedOnce(t, ids)).repeated <= 2);
  await host.restart();
  await worksOn(t, host.name);
});

testHosts('a host that is cut off stops by itself when its lease ends, and works on when the network is back', async (t) => {
  t.timeout(300_000);
  const ids = await t.context.addDocuments(3, PAGES);
  const { host } = await t.context.amidst(ids, 2);
  await host.place.cutOff();
  const cutMs = performance.now();
  const outcome = await completedOnce(t, ids);
  t.true(outcome.repeated <= PAGES_OF_A_LEASE);
  t.true(outcome.lastBegunMs(host.name) < cutMs + LEASE_MS + 1_000);
  await host.place.reconnect();
  await worksOn(t, host.name);
  t.is((await completedOnce(t, ids)).repeated, outcome.repeated, 'the host did nothing more for what others took over');
});

testHosts('a host that was frozen for longer than its lease does nothing more for what others took over', async (t) => {
  t.timeout(300_000);
  const ids = await t.context.addDocuments(3, PAGES);
  const { host, documentId } = await t.context.amidst(ids, 2);
  await host.worker.freeze();
  await waitFor(
    async () => {
      const { rows } = await t.context.database.pool.query(
        "select from ocr_jobs where document_id = $1 and (status = 'completed' or lease_by not like $2 || ':%')",
        [documentId, host.name],
      );
      return rows.length > 0;
    },
    { description: 'another host to take over', limitMs: 30_000 },
  );
  host.worker.thaw();
  t.true((await completedOnce(t, ids)).repeated <= 4);
  await worksOn(t, host.name);
});

testHosts('a host that stands still every other moment keeps what it has begun, and nothing is processed twice', async (t) => {
  t.timeout(300_000);
  const ids = await t.context.addDocuments(3, PAGES);
  const { host } = await t.context.amidst(ids, 1);
  const over = new AbortController();
  const stutter = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await host.worker.freeze();
      await sleep(LEASE_MS / 4);
      host.worker.thaw();
      await sleep(LEASE_MS / 8);
    }
  };
  const stuttering = stutter();
  const ended = completedOnce(t, ids);
  try {
    t.is((await ended).repeated, 0);
  } finally {
    over.abort();
    await stuttering;
  }
});

testHosts('what a host that is cut off holds in the database is free within seconds, and the host notices too', async (t) => {
  t.timeout(300_000);
  const { database, hosts } = t.context;
  const [{ place }] = hosts as [SceneHost];
  await using program = place.run([process.execPath, WAITS_IN_DATABASE, t.context.outerUrl]);
  await program.says(/^waits$/m);
  await place.cutOff();
  await t.notThrowsAsync(database.pool.query("set statement_timeout = '60s'; insert into settings (key, value) values ('held', 'true')"));
  t.is((await program.says(/^noticed (.*)$/m))[1], 'true');
  await place.reconnect();
});
