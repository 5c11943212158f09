// The past of a document as the Paperless-compatible API tells it: its files, its notes, and what rules changed.
import { createHash } from 'node:crypto';
import { uuidv7 } from '@sheaf/process';
import { z } from 'zod';
import { PaperlessClient } from '../../../support/paperless.ts';
import { testWithApi } from '../../../support/running-api.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const test = testWithApi({ FEATURE_PAPERLESS_API: 'true' });

const entries = z.array(
  z.strictObject({
    id: z.int(),
    timestamp: z.iso.datetime(),
    action: z.enum(['create', 'update']),
    changes: z.record(z.string(), z.unknown()),
    actor: z.strictObject({ id: z.int(), username: z.string() }).nullable(),
  }),
);

test('the newest first: a rule that was undone, a note, a later file, and how the document came', async (t) => {
  const { anyone, database } = t.context;
  const client = await PaperlessClient.signIn(anyone, 'admin');
  const { body: id } = await client.upload('past.txt', 'a paper with a past', [['title', 'Past']]);
  const number = await client.numberOf('Past');
  const correspondent = await client.create('correspondents', { name: 'Bank' });
  const { rows } = await database.pool.query<{ id: string }>(`select id from correspondents where name = 'Bank'`);
  const bank = { id: rows[0]?.id, name: 'Bank' };
  await database.pool.query(
    `insert into document_versions (document_id, version, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source, created_at)
     values ($1, 1, 'first.txt', 'text/plain', 1, repeat('1', 64), '/none', 'eng', 'upload', '2026-01-01')`,
    [id],
  );
  await database.pool.query(`update documents set version = 2, version_created_at = '2026-01-02' where id = $1`, [id]);
  await client.post(`documents/${number}/notes/`, { note: 'paid' });
  await database.pool.query(`update document_notes set created_at = '2026-01-03' where document_id = $1`, [id]);
  for (const [field, to, changed, undone] of [
    ['correspondent', bank, '2026-01-04', '2026-01-07'],
    ['label', { id: uuidv7(), name: 'Unpaid' }, '2026-01-05', null],
    ['field', { id: uuidv7(), name: 'Total', value: { amount: '12.50', currency: 'EUR' } }, '2026-01-06', null],
  ])
    await database.pool.query(
      `insert into rule_changes (id, rule_name, document_id, field, to_value, changed_at, undone_at) values ($1, 'Bank', $2, $3, $4, $5, $6)`,
      [uuidv7(), id, field, to, changed, undone],
    );
  const history = await client.read(`documents/${number}/history/`, entries);
  t.deepEqual(
    history.map(({ timestamp, action, changes }) => [timestamp.slice(0, 10), action, changes]),
    [
      ['2026-01-07', 'update', { correspondent: [String(correspondent), 'None'] }],
      ['2026-01-06', 'update', { custom_fields: { type: 'custom_field', field: 'Total', value: 'EUR12.50' } }],
      ['2026-01-05', 'update', { tags: { type: 'm2m', operation: 'add', objects: ['Unpaid'] } }],
      ['2026-01-04', 'update', { correspondent: ['None', String(correspondent)] }],
      ['2026-01-03', 'update', { notes: { type: 'm2m', operation: 'add', objects: ['paid'] } }],
      [
        '2026-01-02',
        'update',
        {
          original_filename: ['first.txt', 'past.txt'],
          mime_type: ['text/plain', 'text/plain'],
          checksum: ['1'.repeat(64), sha256('a paper with a past')],
        },
      ],
      [
        '2026-01-01',
        'create',
        { original_filename: ['None', 'first.txt'], mime_type: ['None', 'text/plain'], checksum: ['None', '1'.repeat(64)] },
      ],
    ],
  );
  t.deepEqual(
    history.map(({ actor }) => actor?.username),
    [undefined, undefined, undefined, undefined, 'admin', undefined, undefined],
  );
  t.deepEqual(
    history.map((entry) => entry.id),
    [7, 6, 5, 4, 3, 2, 1],
  );
});
