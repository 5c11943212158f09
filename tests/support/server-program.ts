import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { waitFor } from './wait-for.ts';

/** A file of tests asks for dozens of programs in the same moment, and each would wait for the start of all. */
const STARTS_AT_ONCE = 4;
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 30_000;

const accepts = (port: number, address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, address);
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

const start = async (file: string, args: readonly string[], port: number, address: string): Promise<AsyncDisposable> => {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output = (output + chunk).slice(-4_000)));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await waitFor(hasEnded, { description: `${file} to end`, limitMs: STOP_LIMIT_MS });
  };
  try {
    await waitFor(async () => hasEnded() || (await accepts(port, address)), { description: `${file} to listen`, limitMs: START_LIMIT_MS });
  } catch (error) {
    await stop();
    throw error;
  }
  if (hasEnded()) throw new Error(`${file} ended at once: ${output}`);
  return { [Symbol.asyncDispose]: stop };
};

const lanes: Promise<unknown>[] = Array.from({ length: STARTS_AT_ONCE }, () => Promise.resolve());
let asked = 0;

/** A program that serves on `port`, one that `freePort` gave, of loopback; ready when this returns, ended by its own process id. */
export const startServerProgram = (
  file: string,
  args: readonly string[],
  port: number,
  address = '127.0.0.1',
): Promise<AsyncDisposable> => {
  const lane = asked++ % lanes.length;
  const started = Promise.resolve(lanes[lane]).then(() => start(file, args, port, address));
  lanes[lane] = started.catch(() => {});
  return started;
};
