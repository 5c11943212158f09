import { hashPassword } from '@sheaf/accounts';
import type { Database } from '@sheaf/db';
import { foldDocumentTallies } from '@sheaf/documents';
import { sql } from 'drizzle-orm';

/** Ids of the library, made from numbers so that the matrix can name them. */
const idOf = (kind: 'label' | 'source', number: number): string =>
  `00000000-0000-7000-${{ label: '9000', source: 'a000' }[kind]}-${String(number).padStart(12, '0')}`;

export const LIBRARY = {
  /** Owns 40 % of the documents. */
  owner: 'user-1',
  admin: 'user-2',
  viewer: 'user-3',
  password: 'correct horse battery',
  /** On 40 %, 5 % and 0.1 % of the documents. */
  labels: { common: idOf('label', 1), some: idOf('label', 2), rare: idOf('label', 3) },
  /** Of some 6 % of the documents. */
  source: idOf('source', 1),
} as const;

const SEED = 0.4;

const insertDocuments = (count: number) => sql`
  insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, status, error_code, ocr_language,
    ocr_confidence, page_count, content_excerpt, source, source_id, created_at, updated_at)
  select (substr(t.stamp, 1, 8) || '-' || substr(t.stamp, 9, 4) || '-7' || substr(h, 1, 3) || '-8' || substr(h, 4, 3) || '-' || substr(h, 7, 12))::uuid,
    ('00000000-0000-7000-8000-' || lpad((case when r1 < 0.4 then 1 else 2 + floor(r2 * 9) end)::text, 12, '0'))::uuid,
    (array['Invoice', 'Letter', 'Report', 'Minutes', 'Contract', 'Offer', 'receipt', 'Plan'])[1 + floor(r2 * 8)::int] || ' ' ||
      (array['from', 'to', 'about', 'for'])[1 + floor(r3 * 4)::int] || ' ' || substr(h, 9, 6) || ' ' || i,
    'scan-' || substr(h, 20, 8) || '.pdf',
    (array['application/pdf', 'image/png', 'text/plain', 'application/msword'])[1 + floor(r3 * r3 * 4)::int],
    1000 + floor(r1 * 5e6), sha256, '/nowhere/' || sha256,
    s.status, case when s.status = 'failed' then 'corrupt' end, 'eng', case when s.status = 'completed' then 0.5 + r2 / 2 end,
    1 + floor(r3 * 20), repeat('some words of the text that was read ', 13), case when r4 < 0.2 then 'webdav' else 'upload' end,
    case when r4 < 0.2 then ('00000000-0000-7000-a000-' || lpad(floor(r4 * 15)::text, 12, '0'))::uuid end,
    t.created_at, t.created_at + r1 * interval '2 days'
  from (select i, md5(i::text) as h, encode(sha256(i::text::bytea), 'hex') as sha256,
    random() as r1, random() as r2, random() as r3, random() as r4, random() as r5 from generate_series(1, ${count}::int) as i) as given
  cross join lateral (select timestamptz '2023-06-01' + r5 * interval '3 years' as created_at) as c
  cross join lateral (select c.created_at, lpad(to_hex((extract(epoch from c.created_at) * 1000)::bigint), 12, '0') as stamp) as t
  cross join lateral (select case when r3 < 0.03 then 'failed' when r3 < 0.035 then 'pending' else 'completed' end as status) as s`;

// the zero makes PostgreSQL throw the dice for each document and not once a label
const insertLabels = sql`
  insert into document_labels
  select documents.id, ('00000000-0000-7000-9000-' || lpad(l::text, 12, '0'))::uuid from documents, generate_series(1, 20) as l
  where random() + 0 * size_bytes < case l when 1 then 0.4 when 2 then 0.05 when 3 then 0.001 else 0.02 end`;

/** Fills an empty database with documents of ten users over three years; always the same ones for the same count. */
export const fillLibrary = async ({ pool, db }: Pick<Database, 'pool' | 'db'>, count: number): Promise<void> => {
  const passwordHash = await hashPassword(LIBRARY.password);
  await db.transaction(async (tx) => {
    await tx.execute(sql`select setseed(${SEED})`);
    await tx.execute(sql`
      insert into users (id, username, email, role, password_hash)
      select ('00000000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, 'user-' || i, 'user-' || i || '@example.org',
        case i when 2 then 'admin' else 'viewer' end, ${passwordHash} from generate_series(1, 10) as i`);
    await tx.execute(sql`
      insert into labels (id, name, color)
      select ('00000000-0000-7000-9000-' || lpad(i::text, 12, '0'))::uuid, 'label ' || i, '#808080' from generate_series(1, 20) as i`);
    await tx.execute(insertDocuments(count));
    await tx.execute(insertLabels);
  });
  await foldDocumentTallies(db);
  // outside of any transaction, as VACUUM must be
  await pool.query('vacuum analyze');
};
