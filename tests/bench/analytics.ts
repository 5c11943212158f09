import type { Database } from '@sheaf/db';
import { foldDocumentTallies } from '@sheaf/documents';
import { ApiClient } from '@sheaf/testkit';
import { startApiWithPermissions } from '../support/api-with-permissions.ts';
import { runLoad } from './http-load.ts';
import { fillLibrary, LIBRARY } from './list-library.ts';
import { machineLine } from './machine.ts';
import { openScratchDatabase } from './scratch-database.ts';

const DOCUMENTS = 100_000;
const ROUNDS = 40;
/** At most, in milliseconds, for 95 of 100 requests of an administrator with nothing kept in memory. */
const LIMIT_MS = 50;

const ENDPOINTS = [
  '/api/analytics/documents',
  '/api/analytics/processing',
  '/api/analytics/users',
  '/api/analytics/system',
  '/api/metrics/system',
  '/api/metrics/ocr',
  '/api/metrics/ocr?days=366',
  '/api/ocr/queue/status',
];

/** Readings of the documents: by then as they came in over the years, or all of them within the last days. */
const READ = {
  'over three years': `now() - (timestamptz '2026-06-01' - created_at)`,
  'all in the last 20 days': `now() - interval '20 days' * (extract(epoch from timestamptz '2026-06-01' - created_at) / (3 * 366 * 86400))`,
} as const;

const fillReadings = async ({ pool, db }: Database, when: string): Promise<void> => {
  await pool.query('truncate ocr_jobs');
  await pool.query(`update documents set completed_at = ${when} where status = 'completed'`);
  await pool.query(`
    insert into ocr_jobs (id, document_id, status, max_attempts, pages_done, pages_total, error_code, started_at, claimed_at, completed_at, spent_ms)
    select id, id, status, 3, page_count, page_count, error_code, created_at, created_at, case when status <> 'pending' then ${when} end,
      1000 + size_bytes % 5000 from documents`);
  await foldDocumentTallies(db);
  await pool.query('vacuum analyze');
};

const quantile = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;

const ms = (value: number): string => value.toFixed(1).padStart(6);

const ask = async (database: Database, who: string, cacheTtl: string): Promise<void> => {
  await using api = await startApiWithPermissions(
    database,
    { [LIBRARY.owner]: ['documents.read.own', 'analytics.read', 'ocr.read', 'users.read'] },
    [],
    {},
    { CACHE_TTL: cacheTtl },
  );
  const { body } = await new ApiClient(api.url).post('/api/auth/login', { username: who, password: LIBRARY.password });
  const token = String(body['token']);
  const times = await runLoad({
    port: api.port,
    clients: 1,
    requests: ENDPOINTS.flatMap((path) => Array.from({ length: ROUNDS }, () => ({ path, token }))),
  });
  for (const [index, path] of ENDPOINTS.entries()) {
    const own = times.slice(index * ROUNDS, (index + 1) * ROUNDS);
    const p95 = quantile(own, 0.95);
    const verdict = who === LIBRARY.admin && cacheTtl === '0' ? `  (at most ${LIMIT_MS}: ${p95 <= LIMIT_MS ? 'reached' : 'MISSED'})` : '';
    console.log(`    ${path.padEnd(28)} p50 ${ms(quantile(own, 0.5))}  p95 ${ms(p95)}${verdict}`);
  }
};

/** Times of the endpoints of figures, through HTTP, one request after the other. */
export const run = async (): Promise<void> => {
  console.log(`analytics, ${DOCUMENTS} documents, one client in a process of its own, api in this one; ${machineLine()}`);
  await using database = await openScratchDatabase();
  await fillLibrary(database, DOCUMENTS);
  for (const [name, when] of Object.entries(READ)) {
    await fillReadings(database, when);
    console.log(`  read ${name}; an administrator, nothing kept in memory`);
    await ask(database, LIBRARY.admin, '0');
  }
  console.log('  the same, an owner of 40 % who may see his own alone');
  await ask(database, LIBRARY.owner, '0');
  console.log('  the same, an administrator, kept in memory');
  await ask(database, LIBRARY.admin, '300');
};
