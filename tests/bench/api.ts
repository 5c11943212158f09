import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Secret } from '@sheaf/contract';
import { openDatabase } from '@sheaf/db';
import { silentLogger, waitFor } from '@sheaf/process';
import { ApiClient, makeServiceFolder } from '@sheaf/testkit';
import autocannon from 'autocannon';
import { familyOf } from '../support/processes.ts';
import { makeScan } from '../support/scan.ts';
import { fillLibrary, LIBRARY } from './list-library.ts';
import { type LoggedService, startLoggedService } from './logged-service.ts';
import { machineLine } from './machine.ts';
import { median } from './median.ts';
import { memoryOf } from './process-memory.ts';

const DOCUMENTS = 10_000;
const CONNECTIONS = 32;
const WARM_UP_SECONDS = 2;
const SECONDS = 4;
const ROUNDS = 3;
const STARTS = 3;
/** Until the connections that the start needed are closed, see `KeepConnections` of packages/db. */
const SETTLE_MS = 75_000;
const MB = 1024 ** 2;
const WANTED = { ratio: 0.6, memoryMb: 450, startSeconds: 4, stopSeconds: 5 };

/** As in the field, but that 32 clients of one user may ask as often as they can; the requests are counted all the same. */
const ENVIRONMENT = { RATE_LIMIT_PER_MINUTE: '1000000', ALLOWED_FILE_TYPES: 'txt,tiff' };

interface Load {
  readonly perSecond: number;
  readonly p99: number;
}

const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'MISSED');

const loadOf = async (url: string, token: string, seconds: number): Promise<Load> => {
  const { requests, latency, non2xx, errors } = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    headers: { authorization: `Bearer ${token}` },
  });
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} requests were refused, ${errors} failed`);
  return { perSecond: requests.average, p99: latency.p99 };
};

const openBareApi = async (databaseUrl: string): Promise<{ url: string } & Disposable> => {
  const child = fork(join(import.meta.dirname, 'bare-api.ts'));
  child.send({ databaseUrl, connections: CONNECTIONS });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void child.kill() };
};

/** Whether both answer the same, to the byte. */
const compareAnswers = async (ours: string, bare: string, path: string, token: string): Promise<void> => {
  const [one, other] = await Promise.all(
    [ours, bare].map(async (url) => (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).text()),
  );
  if (one === other) return;
  const at = (one ?? '').split('').findIndex((letter, index) => letter !== other?.[index]);
  throw new Error(`the bare handler answers ${path} otherwise:\n${one?.slice(at - 80, at + 80)}\n${other?.slice(at - 80, at + 80)}`);
};

/** In turns, so that what else happens on the machine meets both. */
const compareLoads = async (ours: string, bare: string, path: string, token: string): Promise<void> => {
  await compareAnswers(ours, bare, path, token);
  for (const url of [ours, bare]) await loadOf(`${url}${path}`, token, WARM_UP_SECONDS);
  const rounds: [Load, Load][] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push([await loadOf(`${ours}${path}`, token, SECONDS), await loadOf(`${bare}${path}`, token, SECONDS)]);
  const middle = (of: (pair: [Load, Load]) => number): number => median(rounds.map(of)) ?? Number.NaN;
  const ratio = middle(([own, other]) => own.perSecond / other.perSecond);
  const cell = (side: 0 | 1): string =>
    `${middle((pair) => pair[side].perSecond)
      .toFixed(0)
      .padStart(6)} requests/s, p99 ${middle((pair) => pair[side].p99)
      .toFixed(0)
      .padStart(3)} ms`;
  console.log(
    `  ${path.replace(/[\da-f-]{36}/, '{id}').padEnd(20)} ${cell(0)}   bare ${cell(1)}   ratio ${ratio.toFixed(2)} (at least ${WANTED.ratio}: ${verdict(ratio >= WANTED.ratio)})`,
  );
};

const benchRequests = async (service: LoggedService, databaseUrl: string): Promise<void> => {
  console.log(`${CONNECTIONS} connections, keep-alive, ${DOCUMENTS} documents, medians of ${ROUNDS} rounds of ${SECONDS} s in turns`);
  const admin = await new ApiClient(service.url).login(LIBRARY.admin, LIBRARY.password);
  const { body } = await admin.upload({ name: 'letter.txt', bytes: new TextEncoder().encode('A letter of some lines.\n'.repeat(120)) });
  const id = String(body['id']);
  await admin.waitForEnd(id);
  const token = String(
    (await new ApiClient(service.url).post('/api/auth/login', { username: LIBRARY.admin, password: LIBRARY.password })).body['token'],
  );
  using bare = await openBareApi(databaseUrl);
  for (const path of ['/api/documents', `/api/documents/${id}`, '/health']) await compareLoads(service.url, bare.url, path, token);
};

const benchMemory = async (service: LoggedService): Promise<void> => {
  await setTimeout(SETTLE_MS);
  const processes = await memoryOf(await familyOf(service.pid));
  const total = processes.reduce((sum, { bytes }) => sum + bytes, 0) / MB;
  console.log(
    `idle, ${processes.length} processes, PSS: ${total.toFixed(0)} MB (at most ${WANTED.memoryMb}: ${verdict(total <= WANTED.memoryMb)})`,
  );
  for (const [name, group = []] of Object.entries(Object.groupBy(processes, (process) => process.name)))
    console.log(
      `  ${name.padEnd(14)} ${(group.reduce((sum, { bytes }) => sum + bytes, 0) / MB).toFixed(1).padStart(6)} MB${group.length > 1 ? `, ${group.length} processes` : ''}`,
    );
};

/** While pages are being read. */
const benchStop = async (service: LoggedService): Promise<void> => {
  const admin = await new ApiClient(service.url).login(LIBRARY.admin, LIBRARY.password);
  for (let scan = 0; scan < 3; scan += 1)
    await admin.upload({
      name: `scan ${scan}.tiff`,
      bytes: await makeScan(Array.from({ length: 8 }, (_, page) => `scan ${scan} page ${page}`)),
    });
  const isReading = async (): Promise<boolean> => Number((await admin.get('/api/ocr/queue/status')).body['processing']) > 0;
  await waitFor(isReading, { description: 'a scan to be read', limitMs: 30_000 });
  await setTimeout(500); // into its first pages
  if (!(await isReading())) throw new Error('the scans were read too soon');
  const seconds = await service.stop();
  console.log(
    `stop while scans are being read: ${seconds.toFixed(1)} s (at most ${WANTED.stopSeconds}: ${verdict(seconds <= WANTED.stopSeconds)})`,
  );
};

const fill = async (databaseUrl: string): Promise<void> => {
  const settings = { maxConnections: 2, minConnections: 0, acquireTimeoutMs: 10_000, idleTimeoutMs: 10_000, maxLifetimeMs: 600_000 };
  const database = openDatabase({ ...settings, url: new Secret(databaseUrl), applicationName: 'bench' }, silentLogger());
  await fillLibrary(database, DOCUMENTS);
  await database.close();
};

/** Requests, memory, start and stop of the whole service with the PostgreSQL that comes along. */
export const run = async (parts: readonly string[]): Promise<void> => {
  const wants = (part: string): boolean => parts.length === 0 || parts.includes(part);
  console.log(`the whole service as bin/sheaf start runs it, with its defaults; ${machineLine()}`);
  await using folder = await makeServiceFolder();
  await mkdir(join(folder.path, 'data'));
  const start = () => startLoggedService(folder.path, ENVIRONMENT);
  const databaseUrl = async (): Promise<string> => (await readFile(join(folder.path, 'data/database-url'), 'utf8')).trim();
  {
    await using first = await start();
    if (wants('start')) console.log(`first start, with a new database: ${first.startSeconds.toFixed(1)} s`);
  }
  const seconds: number[] = [];
  for (let again = 0; wants('start') && again < STARTS; again += 1) {
    await using service = await start();
    seconds.push(service.startSeconds);
  }
  const middle = median(seconds);
  if (middle !== undefined)
    console.log(
      `start on a prepared machine, median of ${STARTS}: ${middle.toFixed(1)} s (at most ${WANTED.startSeconds}: ${verdict(middle <= WANTED.startSeconds)})`,
    );
  await using service = await start();
  if (wants('memory')) await benchMemory(service);
  if (wants('requests') || wants('stop')) await fill(await databaseUrl());
  if (wants('requests')) await benchRequests(service, await databaseUrl());
  if (wants('stop')) await benchStop(service);
};
