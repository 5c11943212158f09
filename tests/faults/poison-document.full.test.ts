import type { ApiClient } from '@sheaf/testkit';
import test from 'ava';
import { type GivenService, givenService } from '../support/given-service.ts';
import { makeScan } from '../support/scan.ts';
import { waitFor } from '../support/wait-for.ts';

const WORKER = 'apps/ocr-worker/src/main.ts';
const INNOCENT = 3;
/** Others that are to be in flight at the first crash: more than the one that is needed, as one may end in that moment. */
const SUSPECTS = 2;
/** So many that none is read to its end before the others have begun, however busy the machine is. */
const PAGES = 16;
/** One crash with others in flight, and the two that count. */
const MAX_KILLS = 3;

const scanOf = (name: string): Promise<Uint8Array<ArrayBuffer>> => makeScan(Array.from({ length: PAGES }, (_, n) => `${name} page ${n}`));

const uploadScan = async (admin: ApiClient, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
  const { status, body } = await admin.upload({ name: `${name}.tiff`, bytes });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return String(body['id']);
};

/** Uploads all at once with scans made before, so that one cannot be read to its end before the last has arrived. Returns the ids by name. */
const uploadTogether = async (admin: ApiClient, names: readonly string[]): Promise<string[]> => {
  const scans: [string, Uint8Array<ArrayBuffer>][] = [];
  for (const name of names) scans.push([name, await scanOf(name)]);
  return Promise.all(scans.map(([name, bytes]) => uploadScan(admin, name, bytes)));
};

interface InFlight {
  readonly isPoisonStarted: boolean;
  readonly others: number;
  /** Of the lease of the poison: another one when its crash was noticed, also where it is processed again at once. */
  readonly fence: string | undefined;
}

const inFlight = async ({ database }: GivenService, poison: string): Promise<InFlight> => {
  const { rows } = await database.pool.query<{ document_id: string; fence: string; is_open: boolean }>(
    "select document_id, fence, status = 'processing' and processing_since is not null as is_open from ocr_jobs",
  );
  const isPoison = (row: { document_id: string }): boolean => row.document_id === poison;
  const open = rows.filter(({ is_open }) => is_open);
  return {
    isPoisonStarted: open.some(isPoison),
    others: open.filter((row) => !isPoison(row)).length,
    fence: rows.find(isPoison)?.fence,
  };
};

const statusOf = async ({ database }: GivenService, id: string): Promise<string> =>
  (await database.pool.query<{ status: string }>('select status from documents where id = $1', [id])).rows[0]?.status ?? 'gone';

/** Waits until the worker has begun to process the document, beside others if asked; undefined once the document has ended. */
const untilStarted = (given: GivenService, poison: string, besides: number): Promise<InFlight | 'ended'> =>
  waitFor(
    async () => {
      if (['failed', 'completed'].includes(await statusOf(given, poison))) return 'ended';
      const now = await inFlight(given, poison);
      return now.isPoisonStarted && now.others >= besides ? now : undefined;
    },
    { description: 'the document to be processed', limitMs: 120_000, everyMs: 5 },
  );

/** Kills the worker each time that it processes the document. Returns how many others were in flight at each kill. */
const killEachTime = async (given: GivenService, poison: string): Promise<number[]> => {
  const besides: number[] = [];
  for (;;) {
    const now = await untilStarted(given, poison, besides.length === 0 ? SUSPECTS : 0);
    if (now === 'ended') return besides;
    if (besides.length > MAX_KILLS) throw new Error('the document is processed for ever');
    for (const pid of await given.service.processIds(WORKER)) process.kill(pid, 'SIGKILL');
    // Counted after the kill: one that ended in the moment before it was no suspect.
    besides.push((await inFlight(given, poison)).others);
    await waitFor(async () => (await inFlight(given, poison)).fence !== now.fence, {
      description: 'the crash to be noticed',
      limitMs: 60_000,
    });
  }
};

test('a document that kills its worker fails after two crashes, and those that were processed beside it complete without blame', async (t) => {
  t.timeout(3 * 300_000);
  await using given = await givenService({ OCR_RETRY_ATTEMPTS: '0', OCR_LEASE_SECONDS: '6', CONCURRENT_OCR_JOBS: '4' });
  const admin = await (await given.service.ready()).register('admin');
  const innocentNames = Array.from({ length: INNOCENT }, (_, n) => `innocent ${n}`);
  const [poison = '', ...innocent] = await uploadTogether(admin, ['poison', ...innocentNames]);

  const [first, ...later] = await killEachTime(given, poison);
  t.true(first !== undefined && first > 0, 'the first crash had several suspects');
  t.deepEqual(later, [0, 0], 'then it was processed alone, and crashed twice');
  const document = await admin.waitForEnd(poison, 60_000);
  t.is(document.status, 'failed');
  t.is(document.error?.code, 'reader_died');
  for (const id of innocent) t.is((await admin.waitForEnd(id, 120_000)).status, 'completed');

  const { rows } = await given.database.pool.query(
    'select document_id = $1 as poison, status, crashes, is_suspect, attempts from ocr_jobs order by poison',
    [poison],
  );
  t.deepEqual(rows, [
    ...innocent.map(() => ({ poison: false, status: 'completed', crashes: 0, is_suspect: false, attempts: 1 })),
    { poison: true, status: 'failed', crashes: 2, is_suspect: false, attempts: 2 },
  ]);
  const told = await given.database.pool.query(
    `select (select count(*)::int from notifications where type = 'ocr_failed' and data->>'reason' = 'reader_died') as notifications,
      (select count(*)::int from events where document_id = $1 and type = 'document_updated' and data->'changes'->'error'->>'code' = 'reader_died') as events`,
    [poison],
  );
  t.deepEqual(told.rows, [{ notifications: 1, events: 1 }]);
});
