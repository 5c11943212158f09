import { waitFor } from '@sheaf/process';
import { type ApiClient, makeServiceFolder, RunningService } from '@sheaf/testkit';
import { SUPPORTED_EXTENSIONS } from '@sheaf/vocabulary/file-kinds';
import type { Pool } from 'pg';
import { openScratchDatabase } from './scratch-database.ts';

export interface BenchService extends AsyncDisposable {
  readonly folder: string;
  readonly service: RunningService;
  readonly admin: ApiClient;
  readonly pool: Pool;
  /** Uploads a file and resolves with the id of its document. */
  upload(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string>;
  /** Seconds from claim to completed, once it is. */
  secondsOf(documentId: string, limitMs: number): Promise<number>;
}

/** The whole service as `npm start` runs it, on a database of its own, with an administrator. */
export const openBenchService = async (env: Readonly<Record<string, string>> = {}): Promise<BenchService> => {
  const resources = new AsyncDisposableStack();
  const { url, pool } = resources.use(await openScratchDatabase());
  const folder = resources.use(await makeServiceFolder());
  const service = resources.use(
    new RunningService({
      folder: folder.path,
      env: {
        DATABASE_URL: url.reveal(),
        ALLOWED_FILE_TYPES: SUPPORTED_EXTENSIONS.join(','),
        LOG_LEVEL: 'warn',
        OCR_LEASE_SECONDS: '30',
        MAX_FILE_SIZE_MB: '500',
        MAX_PDF_SIZE_MB: '500',
        ...env,
      },
    }),
  );
  const admin = await (await service.ready()).register('admin');
  return {
    folder: folder.path,
    service,
    admin,
    pool,
    upload: async (name, bytes) => {
      const { status, body } = await admin.upload({ name, bytes });
      if (status !== 201) throw new Error(`${name} was answered with ${status}: ${JSON.stringify(body)}`);
      return String(body['id']);
    },
    secondsOf: (id, limitMs) => waitForSeconds(pool, id, limitMs),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

interface JobRow {
  readonly status: string;
  readonly seconds: number;
  readonly reason: string | null;
}

const waitForSeconds = async (pool: Pool, documentId: string, limitMs: number): Promise<number> => {
  const job = await waitFor(
    async () => {
      const { rows } = await pool.query<JobRow>(
        `select status, extract(epoch from completed_at - claimed_at)::float8 as seconds, error_message as reason
         from ocr_jobs where document_id = $1 and status not in ('pending', 'processing')`,
        [documentId],
      );
      return rows[0];
    },
    { description: `document ${documentId} to be read`, limitMs, everyMs: 50 },
  );
  if (job.status !== 'completed') throw new Error(`the job ended as ${job.status}: ${job.reason}`);
  return job.seconds;
};
