// What is known of the files of a source is known of one place.
import { givenSource, s3Source, webdavSource } from '../../support/given-source.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ OUTBOUND_DENY_PRIVATE: 'true' });

const KNOWN = { etag: '"1"', size_bytes: '5', sha256: 'a'.repeat(64), state: 'ingested', attempts: 0 };
const FORGOTTEN = { ...KNOWN, etag: null, size_bytes: null, modified_at: null, next_attempt_at: null };

test('a source whose files come from elsewhere from now on knows none of them by ETag, size and time', async (t) => {
  const { admin, database } = t.context;
  const { pool } = database;
  const remember = (id: string) =>
    pool.query(
      `insert into source_files (source_id, path, etag, size_bytes, modified_at, sha256, state) values ($1, 'a.txt', '"1"', 5, now(), $2, 'ingested')
       on conflict (source_id, path) do update set etag = excluded.etag, size_bytes = excluded.size_bytes, modified_at = excluded.modified_at`,
      [id, KNOWN.sha256],
    );
  const known = async (id: string) =>
    (
      await pool.query(
        'select etag, size_bytes, modified_at, sha256, state, attempts, next_attempt_at from source_files where source_id = $1',
        [id],
      )
    ).rows[0];
  const [cloud, bucket, other] = [
    await givenSource(admin),
    await givenSource(admin, s3Source()),
    await givenSource(admin, webdavSource({ name: 'Other' })),
  ];
  await remember(other);
  const change = async (id: string, body: Record<string, unknown>) => {
    await remember(id);
    t.is((await admin.send('PUT', `/api/sources/${id}`, body)).status, 200);
    return known(id);
  };
  const { username: _, ...rest } = webdavSource();
  for (const body of [
    { name: 'Renamed' },
    { url: rest['url'], password: 'new' },
    { username: 'bob' },
    { recursive: false, file_patterns: ['*.pdf'] },
  ])
    t.like(await change(cloud, body), KNOWN, JSON.stringify(body));
  t.deepEqual(await change(cloud, { url: 'https://other.example/', password: 'x' }), FORGOTTEN);
  t.like(await change(bucket, { settings: { bucket: 'papers', region: 'eu-central-1', on_remote_delete: 'delete' } }), KNOWN);
  t.deepEqual(await change(bucket, { settings: { bucket: 'papers', prefix: 'a/' } }), FORGOTTEN);
  t.deepEqual(await change(bucket, { settings: { bucket: 'letters' }, password: 'x' }), FORGOTTEN);
  t.like(await known(other), KNOWN, 'other sources keep what they know');

  await pool.query(
    "update source_files set state = 'failed', attempts = 3, next_attempt_at = now() + interval '1 day' where source_id = $1",
    [other],
  );
  await admin.send('PUT', `/api/sources/${other}`, { url: 'https://other.example/', password: 'x' });
  t.like(await known(other), { state: 'failed', attempts: 0, next_attempt_at: null }, 'nor does a file wait for what failed elsewhere');
});
