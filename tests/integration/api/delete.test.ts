import { join } from 'node:path';
import { Readable } from 'node:stream';
import { removeBytes } from '@sheaf/api/testing';
import type { SelectedDocument } from '@sheaf/documents';
import { silentLogger } from '@sheaf/process';
import { LocalStorage, previewKey, THUMBNAIL_SIZES } from '@sheaf/storage';
import { changedStorage } from '../../support/changed-storage.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ ALLOWED_FILE_TYPES: 'pdf,txt,png' });

let count = 0;
const given = async ({ admin }: RunningApi): Promise<{ id: string; sha256: string; bytes: Uint8Array<ArrayBuffer> }> => {
  count += 1;
  const bytes = new TextEncoder().encode(`to be deleted ${count}\n`.repeat(40));
  const { body } = await admin.upload({ name: 'note.txt', bytes });
  return { id: String(body['id']), sha256: String(body['sha256']), bytes };
};

const storageOf = ({ folder }: RunningApi) =>
  new LocalStorage({ path: join(folder, 'uploads'), thumbnailPath: join(folder, 'uploads', 'thumbnails') });

const filesOf = async ({ storedFiles }: RunningApi, sha256: string): Promise<string[]> =>
  (await storedFiles()).filter((path) => path.includes(sha256));

test('removing for good at once removes the file with its preview and its thumbnails, the pages, the index entry and the job, and keeps the ledger', async (t) => {
  const { admin, database } = t.context;
  const { id, sha256 } = await given(t.context);
  await storageOf(t.context).put(previewKey(sha256), Readable.from(['%PDF-']));
  t.is((await admin.request(`/api/documents/${id}/thumbnail?width=40`)).status, 200);
  t.is((await admin.request(`/api/documents/${id}/thumbnail?width=300`)).status, 200);
  t.is((await filesOf(t.context, sha256)).length, 4);
  t.is((await admin.delete(`/api/documents/${id}?permanent=true`)).status, 204);
  t.deepEqual(await filesOf(t.context, sha256), []);
  for (const table of ['document_pages', 'document_search', 'document_search_parts', 'document_labels', 'ocr_jobs'])
    t.is((await database.pool.query(`select 1 from ${table} where document_id = $1`, [id])).rowCount, 0, table);
  t.is(
    (await database.pool.query("select 1 from ingest_ledger where sha256 = $1 and state = 'ingested' and document_id is null", [sha256]))
      .rowCount,
    1,
  );
  const { rows } = await database.pool.query(
    "select owner_id is not null as owned from events where document_id = $1 and type = 'document_deleted'",
    [id],
  );
  t.deepEqual(rows, [{ owned: true }]);
  t.is((await admin.delete(`/api/documents/${id}`)).status, 404);
});

test('pictures that are drawn while their document is deleted do not stay behind', async (t) => {
  const { admin } = t.context;
  const { id, sha256 } = await given(t.context);
  const pictures = THUMBNAIL_SIZES.flatMap((size) => ['webp', 'jpeg'].map((format) => ({ size, accept: `image/${format}` })));
  const drawing = pictures.map(async ({ size, accept }) => {
    const response = await admin.request(`/api/documents/${id}/thumbnail?width=${size}&height=${size}`, { headers: { accept } });
    await response.arrayBuffer();
    return response.status;
  });
  await Promise.race(drawing);
  t.is((await admin.delete(`/api/documents/${id}?permanent=true`)).status, 204);
  const statuses = await Promise.all(drawing);
  t.deepEqual(
    statuses.filter((status) => status !== 200 && status !== 404),
    [],
  );
  t.true(statuses.includes(404), 'some were still being drawn');
  t.deepEqual(await filesOf(t.context, sha256), []);
});

test('of several deletions of one document at once one has deleted it', async (t) => {
  const { id } = await given(t.context);
  const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await t.context.admin.delete(`/api/documents/${id}`)).status));
  t.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [204, 404, 404, 404, 404],
  );
});

test('bytes that two owners have go with the last of them, also when both are deleted at once', async (t) => {
  const { admin, anyone } = t.context;
  await admin.register('twin', 'editor');
  const twin = await anyone.login('twin');
  const { id, sha256, bytes } = await given(t.context);
  const theirs = String((await twin.upload({ name: 'same.txt', bytes })).body['id']);
  await Promise.all([admin.delete(`/api/documents/${id}?permanent=true`), twin.delete(`/api/documents/${theirs}?permanent=true`)]);
  t.deepEqual(await filesOf(t.context, sha256), []);
  const [mine, again] = [await admin.upload({ name: 'a.txt', bytes }), await twin.upload({ name: 'b.txt', bytes })];
  t.deepEqual([mine.status, again.status], [201, 201]);
  const ids = [mine.body['id'], again.body['id']];
  t.is((await admin.post('/api/documents/bulk', { ids, action: 'delete', permanent: true })).status, 200);
  t.deepEqual(await filesOf(t.context, sha256), []);
});

test('bytes that cannot be removed are left to the sweep; the document is gone all the same', async (t) => {
  const { database } = t.context;
  const { id, sha256 } = await given(t.context);
  const other = await given(t.context);
  const row = async (documentId: string): Promise<SelectedDocument> => {
    const { rows } = await database.pool.query('delete from documents where id = $1 returning id, owner_id as "ownerId", sha256, status', [
      documentId,
    ]);
    return { ...rows[0], isAllowed: true };
  };
  const storage = storageOf(t.context);
  const failing = changedStorage(storage, {
    delete: (key) => (key.includes(sha256) ? Promise.reject(new Error('read-only file system')) : storage.delete(key)),
  });
  await t.notThrowsAsync(removeBytes({ database, storage: failing, log: silentLogger() }, [await row(id), await row(other.id)]));
  t.is((await filesOf(t.context, sha256)).length, 1);
  t.deepEqual(await filesOf(t.context, other.sha256), []);
});
