import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { waitFor } from './wait-for.ts';

const REDIS = ['/usr/bin/redis-server', '/usr/local/bin/redis-server'].find((path) => existsSync(path));

/** Why there is no key-value store to test against, or undefined when there is one. */
export const whyNoRedis = (): string | undefined => (REDIS === undefined ? 'redis-server is not installed' : undefined);

/** A real key-value store on loopback. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export const startRedis = async (): Promise<RedisServer> => {
  const program = REDIS;
  if (program === undefined) throw new Error(whyNoRedis());
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
    const started = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    child = started;
    let output = '';
    started.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await waitFor(() => output.includes('Ready to accept connections'), { description: 'redis-server to be ready', limitMs: 60_000 });
  };
  const stop = async (): Promise<void> => {
    const ending = child;
    child = undefined;
    if (ending === undefined) return;
    ending.kill('SIGTERM');
    await waitFor(() => ending.exitCode !== null || ending.signalCode !== null, { description: 'redis-server to end', limitMs: 30_000 });
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
