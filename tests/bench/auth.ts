import { hashPassword } from '@sheaf/accounts';
import { createUser } from '@sheaf/accounts/users';
import { jsonRoute } from '@sheaf/api/testing';
import { sleep } from '@sheaf/process';
import { ApiClient } from '@sheaf/testkit';
import { z } from 'zod';
import { startApiWithPermissions } from '../support/api-with-permissions.ts';
import { runLoad } from './http-load.ts';
import { machineLine } from './machine.ts';
import { openScratchDatabase } from './scratch-database.ts';

const REQUESTS = 6_000;
const ROUNDS = 7;
const SECONDS = 10;
/** About as long as the sign-ins go on. */
const ASKED = 60_000;
const PASSWORD = 'correct horse battery';
const LIMITS = { authMs: 0.3, signInsPerSecond: 20, slowdown: 2 } as const;

const empty = (path: string, access: 'anyone' | 'signed-in') =>
  jsonRoute({ method: 'get', path, access, summary: path, status: 200, response: z.strictObject({}), handle: async () => ({}) });

const NEVER = new AbortController().signal;

const quantile = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;

const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'MISSED');

interface Target {
  readonly port: number;
  readonly url: string;
  readonly token: string;
}

/** Milliseconds of CPU that this process, which is the api, spends on one request of a load. */
const cpuOf = async (path: string, { port, token }: Target): Promise<number> => {
  const requests = Array.from({ length: REQUESTS }, () => ({ path, token }));
  const before = process.cpuUsage();
  await runLoad({ port, clients: 4, requests });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / REQUESTS;
};

const benchRequests = async (target: Target): Promise<void> => {
  await cpuOf('/bench/anyone', target);
  await cpuOf('/bench/known', target);
  const [anyone, known]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    anyone.push(await cpuOf('/bench/anyone', target));
    known.push(await cpuOf('/bench/known', target));
  }
  const [open, closed] = [quantile(anyone, 0.5), quantile(known, 0.5)];
  const more = closed - open;
  console.log(
    `  CPU of a request: ${open.toFixed(3)} ms anonymous, ${closed.toFixed(3)} ms authenticated: ${more.toFixed(3)} ms more (at most ${LIMITS.authMs}: ${verdict(more <= LIMITS.authMs)})`,
  );
};

/** Latencies of one client that asks without a pause. */
const ask = async ({ port, token }: Target, count: number): Promise<readonly number[]> =>
  runLoad({ port, clients: 1, requests: Array.from({ length: count }, () => ({ path: '/bench/known', token })) });

const signIn = async ({ url }: Target): Promise<boolean> => {
  const { status } = await new ApiClient(url).post('/api/auth/login', { username: 'bench', password: PASSWORD });
  return status === 200;
};

/** So many sign-ins a second, each begun on time whether or not those before have ended. */
const signInAtRate = async (target: Target, perSecond: number, seconds: number): Promise<{ done: number; tookMs: number }> => {
  const startedAt = performance.now();
  const all: Promise<boolean>[] = [];
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const wait = startedAt + (n * 1_000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait, NEVER);
    all.push(signIn(target));
  }
  const done = (await Promise.all(all)).filter(Boolean).length;
  return { done, tookMs: performance.now() - startedAt };
};

const benchSignIns = async (target: Target): Promise<void> => {
  await ask(target, 2_000);
  const alone = await ask(target, ASKED);
  const [{ done, tookMs }, beside] = await Promise.all([signInAtRate(target, LIMITS.signInsPerSecond, SECONDS), ask(target, ASKED)]);
  const rate = (done * 1_000) / tookMs;
  console.log(
    `  ${LIMITS.signInsPerSecond} sign-ins a second for ${SECONDS} s: ${done} done, ${rate.toFixed(1)} a second (at least ${LIMITS.signInsPerSecond}: ${verdict(rate >= LIMITS.signInsPerSecond * 0.98)})`,
  );
  for (const part of [0.5, 0.95]) {
    const [before, during] = [quantile(alone, part), quantile(beside, part)];
    const ratio = during / before;
    console.log(
      `  another request beside, p${part * 100}: ${before.toFixed(2)} ms alone, ${during.toFixed(2)} ms: ${ratio.toFixed(2)} times (at most ${LIMITS.slowdown}: ${verdict(ratio <= LIMITS.slowdown)})`,
    );
  }
  const startedAt = performance.now();
  let most = 0;
  const client = async (): Promise<void> => {
    while (performance.now() - startedAt < 5_000) if (await signIn(target)) most += 1;
  };
  await Promise.all(Array.from({ length: 8 }, client));
  console.log(`  as many sign-ins as go, 8 at once: ${((most * 1_000) / (performance.now() - startedAt)).toFixed(1)} a second`);
};

/** What knowing who asks costs, and what signing in costs others. */
export const run = async (): Promise<void> => {
  console.log(`sign-in and authentication, api in this process, load in another; ${machineLine()}`);
  await using database = await openScratchDatabase();
  await createUser(database.db, {
    username: 'bench',
    email: 'bench@example.org',
    role: 'admin',
    passwordHash: await hashPassword(PASSWORD),
    emailVerifiedAt: new Date(),
  });
  await using api = await startApiWithPermissions(database, {}, [empty('/bench/anyone', 'anyone'), empty('/bench/known', 'signed-in')]);
  const { body } = await new ApiClient(api.url).post('/api/auth/login', { username: 'bench', password: PASSWORD });
  const target = { port: api.port, url: api.url, token: String(body['token']) };
  await benchRequests(target);
  await benchSignIns(target);
};
