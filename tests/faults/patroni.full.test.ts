// A whole service on three hosts with PostgreSQL under Patroni, whose primary goes in several ways while uploads go on.
import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiClient, CODE_CACHE_ENVIRONMENT, makeServiceFolder, RunningService } from '@sheaf/testkit';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import test, { type ExecutionContext } from 'ava';
import { Client } from 'pg';
import { testWhere } from '../support/conditional-test.ts';
import { type EventClient, openEventClient } from '../support/event-client.ts';
import { type PatroniCluster, startPatroniCluster, whyNoPatroni } from '../support/patroni.ts';
import { type Acknowledged, startSteadyUploads } from '../support/steady-uploads.ts';
import { waitFor } from '../support/wait-for.ts';

const SHEAF = join(import.meta.dirname, '../../bin/sheaf');

const reason = await whyNoPatroni();
const testWithPatroni = testWhere(reason === undefined, reason ?? '', test.serial);

const UPLOADERS = 4;
const LIMIT = { limitMs: 60_000, everyMs: 100 };

interface Stage {
  readonly cluster: PatroniCluster;
  readonly service: RunningService;
  readonly admin: ApiClient;
  readonly events: EventClient;
  readonly folder: string;
  readonly sourceId: string;
}

const resources = new AsyncDisposableStack();
let stage: Stage | undefined;

const openStage = async (): Promise<Stage> => {
  const cluster = resources.use(await startPatroniCluster());
  const folder = resources.use(await makeServiceFolder()).path;
  await mkdir(join(folder, 'source'));
  await chmod(join(folder, 'source'), 0o755);
  const service = resources.use(
    new RunningService({
      folder,
      env: {
        DATABASE_URL: cluster.urlWith('target_session_attrs=read-write'),
        DATABASE_READ_URL: cluster.urlWith('target_session_attrs=prefer-standby'),
        ALLOWED_FILE_TYPES: 'txt',
        LOCAL_SOURCE_ROOTS: join(folder, 'source'),
        OCR_WORKER_PROCESSES: '2',
      },
    }),
  );
  const admin = await (await service.ready()).register('admin');
  const { body: session } = await admin.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' });
  const events = resources.use(await openEventClient(admin.url, String(session['token']), ['document_created']));
  const fields = { name: 'Folder', type: 'local_folder', sync_interval: 0, settings: { path: join(folder, 'source') } };
  const source = await admin.post('/api/sources', fields);
  if (source.status !== 201) throw new Error(`the source was answered with ${source.status}: ${JSON.stringify(source.body)}`);
  return { cluster, service, admin, events, folder, sourceId: String(source.body['id']) };
};

test.before(async (t) => {
  t.timeout(10 * 60_000);
  if (reason === undefined) stage = await openStage();
});
test.after.always(() => resources.disposeAsync());

const untilFound = async ({ admin }: Stage, word: string, count = 1): Promise<string[]> =>
  waitFor(
    async () => {
      const found = await admin.find(word);
      return found.length === count && found;
    },
    { description: `search to find ${word}`, ...LIMIT },
  );

const untilHealthy = ({ admin }: Stage): Promise<unknown> => {
  let seen: unknown;
  return waitFor(
    async () => {
      const { body } = await admin.get('/api/health');
      seen = body;
      return body['status'] === 'healthy';
    },
    { description: 'everything to be healthy again', ...LIMIT },
  ).catch((error: unknown) => {
    throw new Error(JSON.stringify(seen), { cause: error });
  });
};

/** The watcher imports a new file, and the sync process one of a source. */
const checkImports = async (on: Stage, word: string): Promise<void> => {
  await writeFile(join(on.folder, 'source', `${word}.txt`), `from the source ${word}source`);
  const run = await waitFor(
    async () => {
      const { status, body } = await on.admin.post(`/api/sources/${on.sourceId}/sync`, {});
      return status === 202 && body['job_id'];
    },
    { description: 'a sync run to start', ...LIMIT },
  );
  await waitFor(
    async () => {
      const { body } = await on.admin.get(`/api/sources/${on.sourceId}/sync-status`);
      return body['job_id'] === run && body['state'] === 'idle';
    },
    { description: 'the sync run to end', ...LIMIT },
  );
  await untilFound(on, `${word}source`);
};

interface UploadRow {
  readonly id: string;
  readonly filename: string;
  readonly status: string;
}

/** What the primary has of the uploads, once one answers. */
const uploadsIn = ({ cluster }: Stage): Promise<readonly UploadRow[]> =>
  waitFor(
    async () => {
      const client = new Client({ connectionString: cluster.urlOf(await cluster.leader()) });
      client.on('error', () => {}); // the primary may go
      try {
        await client.connect();
        const { rows } = await client.query<UploadRow>(
          `select id, filename, status from documents where filename like 'steady%' order by filename collate "C"`,
        );
        return rows;
      } catch {
        return undefined;
      } finally {
        await client.end().catch(() => {});
      }
    },
    { description: 'the primary to answer', ...LIMIT },
  );

/** Each upload that was acknowledged is there once, is processed, is found by search, and was reported. */
const checkAcknowledged = async (t: ExecutionContext, on: Stage, acknowledged: readonly Acknowledged[]): Promise<void> => {
  const isProcessed = async (): Promise<boolean> => (await uploadsIn(on)).every(({ status }) => status === 'completed');
  await waitFor(isProcessed, { description: 'all uploads to be processed', limitMs: 120_000 });
  const expected = acknowledged.map(({ id, filename }) => ({ id, filename, status: 'completed' }));
  t.deepEqual(
    await uploadsIn(on),
    expected.toSorted((a, b) => (a.filename < b.filename ? -1 : 1)),
  );
  for (const { id, word } of acknowledged) t.deepEqual(await on.admin.find(word), [id], word);
  const hasAll = (): boolean => {
    const told = new Set(on.events.events.map((event) => event['document_id']));
    return acknowledged.every(({ id }) => told.has(id));
  };
  await waitFor(hasAll, { description: 'the event of each upload', ...LIMIT });
};

const allAcknowledged: Acknowledged[] = [];

/** Lets the primary go by `fault` while uploads go on, and checks that nothing is lost; the outage that they saw is printed. */
const loseThePrimary = async (
  t: ExecutionContext,
  name: string,
  fault: (on: Stage) => Promise<void>,
  repair: (on: Stage) => void | Promise<void>,
) => {
  t.timeout(15 * 60_000);
  const on = stage;
  if (on === undefined) throw new Error('the stage was not opened');
  await on.cluster.untilComplete();
  const before = await on.cluster.leader();
  const processes = await on.service.processIds('/src/main.ts');
  const uploads = startSteadyUploads(on.admin, UPLOADERS, name);
  await uploads.untilMore(20);
  const at = performance.now();
  await fault(on);
  await writeFile(join(on.folder, 'watch', `${name}.txt`), `from the watch folder ${name}watched`);
  await waitFor(async () => (await on.cluster.leader()) !== before, { description: 'another node to lead', ...LIMIT });
  await uploads.untilMore(100);
  await uploads.stop();
  allAcknowledged.push(...uploads.acknowledged);
  const refusals = [...uploads.refusals].map(([status, count]) => `${count} x ${status === 0 ? 'no answer' : status}`).join(', ');
  const seconds = (uploads.longestGapMs(at) / 1_000).toFixed(1);
  process.stdout.write(
    `${name}: ${seconds} s without an acknowledged upload; ${uploads.acknowledged.length} acknowledged, ${refusals || 'none'} refused\n`,
  );
  await repair(on);
  await untilHealthy(on);
  await checkAcknowledged(t, on, allAcknowledged);
  await untilFound(on, `${name}watched`);
  await checkImports(on, name);
  await on.cluster.untilComplete();
  t.not(await on.cluster.roleOf(before), 'leader');
  t.deepEqual(new Set(await on.service.processIds('/src/main.ts')), new Set(processes), 'no process had to be restarted');
};

testWithPatroni('when the host of the primary dies, no acknowledged upload is lost, and it comes back as a replica', async (t) => {
  let killed: PatroniCluster['nodes'][number] | undefined;
  await loseThePrimary(
    t,
    'killed',
    async ({ cluster }) => {
      killed = await cluster.leader();
      await killed.host.kill();
    },
    ({ cluster }) => {
      if (killed !== undefined) cluster.restart(killed);
    },
  );
});

testWithPatroni('a switchover loses nothing either', async (t) => {
  await loseThePrimary(
    t,
    'switched',
    ({ cluster }) => cluster.switchOver(),
    () => {},
  );
});

testWithPatroni('when the primary can no longer be reached, nobody waits for it, and nothing is lost', async (t) => {
  let cutOff: PatroniCluster['nodes'][number] | undefined;
  await loseThePrimary(
    t,
    'cutoff',
    async ({ cluster }) => {
      cutOff = await cluster.leader();
      await cutOff.host.cutOff();
    },
    async () => cutOff?.host.reconnect(),
  );
});

testWithPatroni('a backup is made of the primary, whichever host that is by now, and a standby is refused', async (t) => {
  t.timeout(10 * 60_000);
  const on = stage;
  if (on === undefined) throw new Error('the stage was not opened');
  const run = (url: string, ...args: string[]): Promise<{ status: number; stdout: string }> =>
    new Promise((resolve) => {
      const folders = {
        DATA_PATH: join(on.folder, 'data'),
        UPLOAD_PATH: join(on.folder, 'uploads'),
        BACKUP_PATH: join(on.folder, 'backups'),
      };
      const env = { PATH: process.env['PATH'], ...CODE_CACHE_ENVIRONMENT, ...folders, DATABASE_URL: url };
      execFile(SHEAF, args, { env, timeout: 180_000 }, (error, stdout) => resolve({ status: Number(error?.code ?? 0), stdout }));
    });
  await on.cluster.untilComplete();
  const leader = await on.cluster.leader();
  const url = on.cluster.urlWith('target_session_attrs=read-write');
  const { status, stdout } = await run(url, 'backup');
  t.is(status, 0);
  t.is((await run(url, 'backup', 'verify', stdout.trim().split('\n').at(-1) ?? '')).status, 0);
  const [standby] = on.cluster.nodes.filter((node) => node !== leader);
  if (standby !== undefined) t.is((await run(on.cluster.urlOf(standby), 'backup')).status, EXIT.configuration);
  t.is((await run(url, 'verify')).status, 0);
});
