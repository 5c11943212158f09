import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { removeStoredBytes, sweepOrphans } from '@sheaf/ingest';
import { documentKey, openOneStorage, orphanKey, previewKey, type Storage, thumbnailKey } from '@sheaf/storage';
import { givenDocument } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { type Azurite, openAzurite } from '../../support/azurite.ts';
import { collect } from '../../support/collect.ts';
import { type IngestBench, openIngestBench } from './fixture.ts';

interface Context {
  bench: IngestBench;
  azurite: Azurite;
  storage: Storage;
}
const test = anyTest as TestFn<Context>;

test.beforeEach(async (t) => {
  const [bench, azurite] = await Promise.all([openIngestBench(), openAzurite()]);
  const tempPath = join(bench.folder, 'network');
  const azure = { connectionString: new Secret(azurite.connectionString), container: azurite.container };
  const local = { path: bench.folder, thumbnailPath: bench.folder, tempPath };
  const storage = await openOneStorage(
    'azure',
    { ...local, type: 'azure', azure, s3: undefined },
    { hasLocalDocuments: async () => false },
  );
  t.context = { bench, azurite, storage };
});
test.afterEach.always(async ({ context: { bench, azurite, storage } }) => {
  await storage.close();
  await azurite[Symbol.asyncDispose]();
  await bench[Symbol.asyncDispose]();
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const inTwoDays = { now: () => new Date(Date.now() + 48 * 3_600_000) };

test('orphans in the network are set aside or removed, and a damaged one holds up none of the others', async (t) => {
  const { bench, azurite, storage } = t.context;
  const { db } = bench.deps;
  await givenDocument(db, { ownerId: bench.owner.id });
  for (const text of ['one', 'two']) await storage.put(documentKey(hashOf(text)), Buffer.from(text));
  await azurite.client.getBlockBlobClient(documentKey(hashOf('damaged'))).uploadData(Buffer.from('demaged'));
  await storage.put(previewKey(hashOf('one')), Buffer.from('preview'));
  await storage.put(thumbnailKey(hashOf('one'), '9x9.webp'), Buffer.from('picture'));
  t.is(await sweepOrphans({ db, storage, clock: inTwoDays }), 4);
  t.deepEqual(
    (await collect(storage.list('documents/'))).map(({ key }) => key),
    [documentKey(hashOf('damaged'))],
  );
  t.deepEqual(
    (await collect(storage.list('orphans/'))).map(({ key }) => key).toSorted(),
    [orphanKey(hashOf('one')), orphanKey(hashOf('two'))].toSorted(),
  );
  for (const prefix of ['previews/', 'thumbnails/']) t.deepEqual(await collect(storage.list(prefix)), []);
});

test('the bytes of a deleted document go from the network with all that was made of them', async (t) => {
  const { bench, azurite, storage } = t.context;
  const sha256 = hashOf('gone');
  for (const key of [documentKey(sha256), previewKey(sha256), thumbnailKey(sha256, '9x9.webp'), thumbnailKey(sha256, '5x5.png')])
    await azurite.client.getBlockBlobClient(key).uploadData(Buffer.from('gone'));
  t.true(await removeStoredBytes({ db: bench.deps.db, storage }, sha256));
  t.deepEqual(await collect(azurite.client.listBlobsFlat()), []);
});
