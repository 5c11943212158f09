// Files of a few kilobytes that once stopped the whole service, by upload and by the watch folder.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SUPPORTED_EXTENSIONS } from '@sheaf/vocabulary/file-kinds';
import test from 'ava';
import {
  makeCircularTables,
  makeManifestTrap,
  makeManifestTrapDocument,
  makeSharedStream,
  makeUnterminated,
} from '../fixtures/hostile-containers.ts';
import { givenService } from '../support/given-service.ts';
import { waitFor } from '../support/wait-for.ts';

const CIRCLES = 8;

const HOSTILE: Readonly<Record<string, Buffer>> = {
  'manifest.odt': makeManifestTrap(24_000),
  'manifest-of-a-document.odt': makeManifestTrapDocument(24_000),
  'manifest.docx': makeManifestTrap(24_000),
  'comments.docx': makeUnterminated('<!--', 40_000),
  'sections.docx': makeUnterminated('<![CDATA[', 40_000),
  'shared.docx': makeSharedStream(19_000, 200_000),
  ...Object.fromEntries(Array.from({ length: CIRCLES }, (_, n) => [`circle-${n}.doc`, makeCircularTables(8 * 1024 * 1024, 1 + n)])),
};
const PROCESSES = ['api', 'ocr-worker', 'watcher', 'sync'];

test('small hostile files are refused or fail alone, and every process lives through them', async (t) => {
  t.timeout(3 * 240_000);
  await using given = await givenService({ ALLOWED_FILE_TYPES: SUPPORTED_EXTENSIONS.join(',') });
  const { service } = given;
  const admin = await (await service.ready()).register('admin');
  const idsOf = async () => Object.fromEntries(await Promise.all(PROCESSES.map(async (name) => [name, await service.processIds(name)])));
  const before = await idsOf();

  for (const [name, bytes] of Object.entries(HOSTILE)) await writeFile(join(given.folder, 'watch', name), bytes);
  const uploads = Object.entries(HOSTILE).map(([name, bytes]) => admin.upload({ name, bytes: Buffer.concat([bytes, Buffer.alloc(1)]) }));
  const { body } = await admin.upload({ name: 'good.txt', bytes: new TextEncoder().encode('an honest paper') });
  t.is((await admin.waitForEnd(String(body['id']), 60_000)).status, 'completed', 'while the hostile ones are on their way');

  const answers = await Promise.all(uploads);
  for (const { status } of answers) t.true(status === 201 || status === 400, String(status));
  for (const {
    status,
    body: { id },
  } of answers) {
    if (status === 201) t.true(['failed', 'completed'].includes((await admin.waitForEnd(String(id), 120_000)).status));
  }
  const waiting = async (): Promise<number> => {
    const { rows } = await given.database.pool.query(
      `select count(*)::int as n from ingest_ledger where route = 'watch' and state <> 'waiting'`,
    );
    return Object.keys(HOSTILE).length - Number(rows[0].n);
  };
  await waitFor(async () => (await waiting()) <= 0, {
    description: 'every file of the watch folder to be judged',
    limitMs: 90_000,
    everyMs: 500,
  });
  t.deepEqual(await idsOf(), before, 'no process was started again');
});
