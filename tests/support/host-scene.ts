import { createHash } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { type Database, openDatabase } from '@sheaf/db';
import { silentLogger } from '@sheaf/process';
import { documentKey } from '@sheaf/storage';
import { drawScan, enqueueJob, givenDocument, givenUser, makePdf, TEMPLATE_DATABASE } from '@sheaf/testkit';
import { startCluster } from '../runner/cluster.ts';
import { type HostPlace, openHostNetwork } from './host-network.ts';
import { NamespacedWorker } from './namespaced-worker.ts';
import { openS3Server } from './s3-server.ts';
import { openStubTesseracts, type StubReading } from './stub-tesseract.ts';
import { waitFor } from './wait-for.ts';

/** Short, so that a lost host is noticed soon. */
export const LEASE_SECONDS = 3;

export interface SceneHost {
  readonly name: string;
  readonly place: HostPlace;
  readonly worker: NamespacedWorker;
  /** After its worker was killed. */
  restart(): Promise<void>;
}

/** Hosts that process documents of one database and one bucket, which are here, with engines that note each page. */
export interface HostScene extends AsyncDisposable {
  readonly database: Database;
  /** Of the database, as the hosts reach it. */
  readonly outerUrl: string;
  readonly hosts: readonly SceneHost[];
  readonly readings: readonly StubReading[];
  /** Queues so many documents of so many pages, no two pages alike; resolves with their ids. */
  addDocuments(count: number, pages: number): Promise<string[]>;
  /** A host and the document of which it has recorded that many pages; the document is one of `among`. */
  amidst(among: readonly string[], pagesDone: number): Promise<{ readonly host: SceneHost; readonly documentId: string }>;
}

const openReachableDatabase = async (address: string, range: string) => {
  const resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-hosts-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const clientRules = join(folder, 'pg_hba.conf');
  await chmod(folder, 0o755);
  await writeFile(clientRules, ['127.0.0.1/32', range].map((from) => `host all all ${from} scram-sha-256\n`).join(''));
  const { url } = resources.use(await startCluster({ listen_addresses: `127.0.0.1,${address}`, hba_file: clientRules }));
  const local = new URL(url);
  local.pathname = `/${TEMPLATE_DATABASE}`;
  const outer = new URL(local);
  outer.hostname = address;
  const settings = { maxConnections: 5, minConnections: 0, acquireTimeoutMs: 5_000, idleTimeoutMs: 60_000, maxLifetimeMs: 600_000 };
  const database = openDatabase({ url: new Secret(local.href), ...settings, applicationName: 'host scene' }, silentLogger());
  resources.defer(() => database.close());
  return { database, outerUrl: outer.href, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

interface ScenePlan {
  readonly hosts: readonly string[];
  readonly pageSeconds: number;
  /** How far the clock of each host is from that of the database. */
  readonly clockOffsetSeconds?: Readonly<Record<string, number>>;
}

export const openHostScene = async ({ hosts: names, pageSeconds, clockOffsetSeconds = {} }: ScenePlan): Promise<HostScene> => {
  const resources = new AsyncDisposableStack();
  try {
    const network = resources.use(await openHostNetwork());
    const { database, outerUrl } = resources.use(await openReachableDatabase(network.address, network.range));
    const s3 = resources.use(await openS3Server('documents', network.address));
    const stubs = resources.use(await openStubTesseracts());
    const folder = await mkdtemp(join(tmpdir(), 'sheaf-hosts-'));
    resources.defer(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o755);
    const owner = await givenUser(database.db);

    const addHost = async (name: string): Promise<SceneHost> => {
      const place = await network.addPlace();
      const env = {
        ...(await stubs.make(name, pageSeconds)),
        DATA_PATH: join(folder, name),
        DATABASE_URL: outerUrl,
        STORAGE_TYPE: 's3',
        S3_ENDPOINT_URL: s3.url,
        S3_BUCKET_NAME: s3.bucket,
        S3_ACCESS_KEY_ID: 'S3RVER',
        S3_SECRET_ACCESS_KEY: 'S3RVER',
        CPU_CORES: '1',
        PROBE_PORT_BASE: '0',
        OCR_LEASE_SECONDS: String(LEASE_SECONDS),
        OCR_RETRY_DELAY: '1',
      };
      const start = async (): Promise<NamespacedWorker> => {
        const plan = { host: name, namespace: place.namespace, clockOffsetSeconds: clockOffsetSeconds[name] ?? 0, env };
        const worker = resources.use(new NamespacedWorker(plan));
        await worker.ready();
        return worker;
      };
      let worker = await start();
      return {
        name,
        place,
        get worker() {
          return worker;
        },
        restart: async () => {
          worker = await start();
        },
      };
    };
    const hosts = await Promise.all(names.map(addHost));

    let drawn = 0;
    const addDocument = async (pages: number): Promise<string> => {
      const pictures = await Promise.all(Array.from({ length: pages }, () => drawScan([`page ${(drawn += 1)} of all`])));
      const bytes = makePdf(pictures.map((picture) => ({ picture })));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await s3.put(documentKey(sha256), bytes);
      const fields = { ownerId: owner.id, sha256, sizeBytes: bytes.length, filePath: `s3://${s3.bucket}/${documentKey(sha256)}` };
      const { id } = await givenDocument(database.db, fields);
      return id;
    };

    return {
      database,
      outerUrl,
      hosts,
      readings: stubs.readings,
      addDocuments: async (count, pages) => {
        const ids = await Promise.all(Array.from({ length: count }, () => addDocument(pages)));
        await database.db.transaction(async (tx) => {
          for (const documentId of ids) await enqueueJob(tx, { documentId, maxAttempts: 3 });
        });
        return ids;
      },
      amidst: (among, pagesDone) =>
        waitFor(
          async () => {
            const { rows } = await database.pool.query<{ document_id: string; host: string }>(
              `select document_id, split_part(lease_by, ':', 1) as host from ocr_jobs
               where document_id = any($1) and status = 'processing' and pages_done >= $2 and pages_done < pages_total - 2 limit 1`,
              [among, pagesDone],
            );
            const host = hosts.find(({ name }) => name === rows[0]?.host);
            return rows[0] && host && { host, documentId: rows[0].document_id };
          },
          { description: 'a host in the middle of a document', limitMs: 60_000 },
        ),
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
};
