import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createApiKey } from '@sheaf/accounts';
import { createUser } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import { recordEvent } from '@sheaf/events';
import { sleep, uuidv7, waitFor } from '@sheaf/process';
import { drizzle } from 'drizzle-orm/node-postgres';
import { WebSocket } from 'ws';
import { openBenchService } from './bench-service.ts';
import { machineLine } from './machine.ts';

const LIMITS = { p95Ms: 50, memoryMb: 60 } as const;
const PER_USER = 5;
const LISTENING = 200;
const IDLE = 1_000;
const EVENTS_PER_SECOND = 200;
const SECONDS = 15;
/** How many connections are opened at once: an address may have ten that have not said who they are. */
const AT_ONCE = 8;
const NEVER = new AbortController().signal;
/** After this time memory has settled: garbage of opening the connections is collected. */
const SETTLE_MS = 20_000;

const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'MISSED');
const quantile = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;

const memoryOf = async (pid: number): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

/** API keys of as many users as it takes for so many connections. */
const makeKeys = async (db: Db, connections: number): Promise<string[]> => {
  const keys: string[] = [];
  for (let n = 0; n < connections / PER_USER; n += 1) {
    const name = `listener-${uuidv7()}`;
    const { id: userId } = await createUser(db, { username: name, email: `${name}@example.org`, role: 'viewer', passwordHash: null });
    const key = `shf_${randomBytes(32).toString('base64url')}`;
    await createApiKey(db, {
      userId,
      name,
      scope: ['*'],
      keyHash: createHash('sha256').update(key).digest('hex'),
      prefix: key.slice(0, 12),
      expiresAt: new Date(Date.now() + 3_600_000),
    });
    keys.push(...Array.from({ length: PER_USER }, () => key));
  }
  return keys;
};

const connect = (url: string, key: string, onText: (text: string) => void): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { 'x-api-key': key } });
    socket.on('error', reject);
    socket.on('message', (data: Buffer) => {
      const text = data.toString('latin1');
      if (text.startsWith('{"type":"auth_ok"')) socket.send('{"type":"subscribe","events":["document_created","alert"]}');
      else if (text.startsWith('{"type":"subscribed"')) resolve(socket);
      else onText(text);
    });
  });

const connectAll = async (url: string, keys: readonly string[], onText: (text: string) => void): Promise<WebSocket[]> => {
  const sockets: WebSocket[] = [];
  for (let at = 0; at < keys.length; at += AT_ONCE)
    sockets.push(...(await Promise.all(keys.slice(at, at + AT_ONCE).map((key) => connect(url, key, onText)))));
  return sockets;
};

const benchLatency = async (url: string, db: Db, keys: readonly string[]): Promise<void> => {
  const committedMs = new Map<string, number>();
  const heardMs: { id: string; at: number }[] = [];
  const sockets = await connectAll(url, keys, (text) => {
    const id = /"title":"(e\d+)"/.exec(text)?.[1];
    if (id !== undefined) heardMs.push({ id, at: performance.now() });
  });
  const total = EVENTS_PER_SECOND * SECONDS;
  const startedMs = performance.now();
  const writes: Promise<void>[] = [];
  for (let n = 0; n < total; n += 1) {
    const waitMs = startedMs + (n * 1_000) / EVENTS_PER_SECOND - performance.now();
    if (waitMs > 1) await sleep(waitMs, NEVER);
    const write = db
      .transaction((tx) => recordEvent(tx, { type: 'document_created', document_id: uuidv7(), title: `e${n}`, source: 'upload' }, null))
      .then(() => void committedMs.set(`e${n}`, performance.now()));
    writes.push(write);
  }
  await Promise.all(writes);
  const tookMs = performance.now() - startedMs;
  await waitFor(() => heardMs.length === total * keys.length, {
    description: () => `${total * keys.length} messages; there are ${heardMs.length}`,
    limitMs: 30_000,
  });
  const latencies = heardMs.map(({ id, at }) => Math.max(0, at - (committedMs.get(id) ?? at)));
  const p95 = quantile(latencies, 0.95);
  console.log(
    `  ${keys.length} connections, ${((total * 1_000) / tookMs).toFixed(0)} events a second for ${SECONDS} s, ${heardMs.length} messages`,
  );
  console.log(
    `  commit to client: p50 ${quantile(latencies, 0.5).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (at most ${LIMITS.p95Ms}: ${verdict(p95 <= LIMITS.p95Ms)}), p99 ${quantile(latencies, 0.99).toFixed(1)} ms`,
  );
  for (const socket of sockets) socket.terminate();
};

const benchMemory = async (url: string, pid: number, keys: readonly string[]): Promise<void> => {
  await sleep(SETTLE_MS, NEVER);
  const before = await memoryOf(pid);
  const sockets = await connectAll(url, keys, () => {});
  const opened = await memoryOf(pid);
  await sleep(SETTLE_MS, NEVER);
  const more = (await memoryOf(pid)) - before;
  console.log(
    `  ${keys.length} idle connections: ${more.toFixed(1)} MB more (at most ${LIMITS.memoryMb}: ${verdict(more <= LIMITS.memoryMb)}), ${(opened - before).toFixed(1)} MB more just after opening, ${before.toFixed(0)} MB before`,
  );
  for (const socket of sockets) socket.terminate();
};

/** How soon events arrive, and what it costs to wait for them. */
export const run = async (): Promise<void> => {
  console.log(`events over /ws, the whole service, clients and writer in this process; ${machineLine()}`);
  await using bench = await openBenchService({ WEBSOCKET_MAX_CONNECTIONS: '2000' });
  const db = drizzle(bench.pool) as unknown as Db;
  const [pid] = await bench.service.processIds('apps/api/src/main.ts');
  if (pid === undefined) throw new Error('there is no api');
  const { url } = bench.admin;
  // first, as the other leaves a heap behind that the idle ones could hide in
  await benchMemory(url, pid, await makeKeys(db, IDLE));
  await benchLatency(url, db, await makeKeys(db, LISTENING));
};
