import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPaperlessArchive, PAPERLESS_MODELS, PaperlessArchiveError, type PaperlessModel } from '@sheaf/paperless/archive';
import test from 'ava';
import { makeZip } from '../../fixtures/zip.ts';
import { fuzz, mutated } from '../../support/fuzz.ts';

const MANIFEST = JSON.stringify([
  { model: 'documents.tag', pk: 1, fields: { name: 'A "quoted" \\ name', color: '#ff0000', tn_parent: null } },
  { model: 'auth.user', pk: 3, fields: { username: 'ann', password: '!x', groups: [1] } },
  {
    model: 'documents.document',
    pk: 1,
    fields: { title: 'T', content: 'one\ftwo', mime_type: 'text/plain', checksum: 'x', created: '2024-01-01', tags: [1] },
    __exported_file_name__: 'originals/a.txt',
  },
]);

const exportOf = (manifest: string, stored: boolean): Buffer =>
  makeZip([
    { name: 'metadata.json', text: '{"version":"3.0.5"}', stored },
    { name: 'originals/a.txt', text: 'content', stored },
    { name: 'json/a-manifest.json', text: '[{"model":"documents.note","pk":1,"fields":{"note":"n"}}]', stored },
    { name: 'manifest.json', text: manifest, stored },
  ]);

test.serial('an export, whatever is in it, is read or refused with a reason', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-paperless-'));
  const path = join(folder.path, 'export.zip');
  await fuzz(mutated([exportOf(MANIFEST, true), exportOf(MANIFEST, false), exportOf('[]', true)]), async (bytes) => {
    await writeFile(path, bytes);
    try {
      await using archive = await openPaperlessArchive(path, { passphrase: 'x' });
      for await (const { model, fields, files } of archive.records(Object.keys(PAPERLESS_MODELS))) {
        PAPERLESS_MODELS[model as PaperlessModel].safeParse(fields);
        const opened = await archive.openFile(files.original ?? '');
        for await (const piece of opened?.stream ?? []) if ((piece as Buffer).length > bytes.length) throw new Error('more than is there');
      }
    } catch (error) {
      if (!(error instanceof PaperlessArchiveError)) throw error;
    }
  });
  t.pass();
});
