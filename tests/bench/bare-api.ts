// The least that can answer as the api does: node:http, a pool, a query with all columns, JSON.stringify. It asks nobody who they are,
// counts nothing, checks nothing and writes no log. A process of its own; its parent tells it the database and gets the port.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { Pool } from 'pg';

const COLUMNS = `
  documents.id, title, filename, content_excerpt, status, mime_type, size_bytes::float8 as size, created_at, updated_at, ocr_confidence,
  array(select labels.name from document_labels join labels on labels.id = document_labels.label_id
    where document_labels.document_id = documents.id order by lower(labels.name)) as labels,
  metadata, owner_id, sha256, page_count, source, source_id, source_removed_at, ocr_language, needs_attention, error_code, error_message`;

const PAGE = `select ${COLUMNS} from documents order by created_at desc, id desc limit 20`;
const TOTAL = `select (coalesce((select sum(documents) from document_tallies where label_id is null and month is null), 0)
  + coalesce((select sum(documents) from document_tally_deltas where label_id is null), 0))::int as total`;
const ONE = `select ${COLUMNS} from documents where id = $1`;
const CONTENT = 'select content from document_pages where document_id = $1 order by page';

interface Row extends Record<string, unknown> {
  readonly content_excerpt: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly source_removed_at: Date | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

const toBody = (row: Row, content: string) => ({
  id: row['id'],
  title: row['title'],
  filename: row['filename'],
  content,
  status: row['status'],
  mime_type: row['mime_type'],
  size: row['size'],
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  ocr_confidence: row['ocr_confidence'],
  labels: row['labels'],
  metadata: row['metadata'],
  owner_id: row['owner_id'],
  sha256: row['sha256'],
  page_count: row['page_count'],
  source: row['source'],
  source_id: row['source_id'],
  source_removed_at: row.source_removed_at?.toISOString() ?? null,
  ocr_language: row['ocr_language'],
  needs_attention: row['needs_attention'],
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
});

const answer = (response: ServerResponse, body: unknown): void => {
  const text = JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) });
  response.end(text);
};

const list = async (pool: Pool): Promise<unknown> => {
  const { rows: totals } = await pool.query<{ total: number }>(TOTAL);
  const { rows } = await pool.query<Row>(PAGE);
  const total = totals[0]?.total ?? 0;
  return {
    data: rows.map((row) => toBody(row, row.content_excerpt)),
    pagination: { page: 1, per_page: 20, total, total_pages: Math.ceil(total / 20), has_next: total > 20, has_prev: false },
  };
};

const one = async (pool: Pool, id: string): Promise<unknown> => {
  const { rows } = await pool.query<Row>(ONE, [id]);
  const { rows: pages } = await pool.query<{ content: string }>(CONTENT, [id]);
  return rows[0] && toBody(rows[0], pages.map(({ content }) => content).join('\f'));
};

process.once('message', ({ databaseUrl, connections }: { databaseUrl: string; connections: number }) => {
  const pool = new Pool({ connectionString: databaseUrl, max: connections });
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path === '/health') answer(response, { status: 'healthy' });
    else
      void (path === '/api/documents' ? list(pool) : one(pool, path.slice('/api/documents/'.length))).then((body) =>
        answer(response, body),
      );
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
});
