import { spawn } from 'node:child_process';
import { type AddressInfo, connect, createServer } from 'node:net';
import { waitFor } from '@sheaf/runtime';

/** A port on loopback that nobody listens on at the moment. */
export const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** A program that serves on `port` of loopback; ready when this returns, ended by its own process id. */
export const startServerProgram = async (file: string, args: readonly string[], port: number): Promise<AsyncDisposable> => {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output = (output + chunk).slice(-4_000)));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await waitFor(hasEnded, { description: `${file} to end`, limitMs: 10_000 });
  };
  await waitFor(async () => hasEnded() || (await accepts(port)), { description: `${file} to listen`, limitMs: 15_000 });
  if (hasEnded()) throw new Error(`${file} ended at once: ${output}`);
  return { [Symbol.asyncDispose]: stop };
};
