import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { startServerProgram } from './server-program.ts';

/** An S3 service with one bucket, on loopback unless another address of this machine is given. Its one key is S3RVER; it accepts any secret for it, but no other key. */
export interface S3Server extends AsyncDisposable {
  readonly url: string;
  readonly bucket: string;
  put(key: string, content: Uint8Array | string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Lets an object have been stored at that time. */
  makeOld(key: string, at: Date): Promise<void>;
  /** Forgets all objects below this first part of their keys. */
  clear(folder: string): Promise<void>;
  /** Away, with what is stored kept. */
  stop(): Promise<void>;
  /** Back at the same address. */
  start(): Promise<void>;
}

const encodeKey = (key: string): string => encodeURIComponent(key).replaceAll('%2F', '/');

export const openS3Server = async (bucket = 'documents', address = '127.0.0.1'): Promise<S3Server> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-s3-'));
  const port = await freePort();
  const program = fileURLToPath(new URL('../fixtures/storage/serve-s3.ts', import.meta.url));
  // Its second page of a listing is a 500 without the first flag.
  const options = ['-d', folder, '-a', address, '-p', String(port), '--no-vhost-buckets', '-s', '--configure-bucket', bucket];
  const launch = () => startServerProgram(process.execPath, ['--openssl-legacy-provider', program, ...options], port, address);
  let running: AsyncDisposable | undefined = await launch();
  const stop = async (): Promise<void> => {
    await running?.[Symbol.asyncDispose]();
    running = undefined;
  };
  const url = `http://${address}:${port}`;
  const ask = async (method: string, key: string, body?: Uint8Array | string): Promise<void> => {
    const response = await fetch(`${url}/${bucket}/${encodeKey(key)}`, {
      method,
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${method} ${key} answered ${response.status}`);
  };
  return {
    url,
    bucket,
    put: (key, content) => ask('PUT', key, content),
    remove: (key) => ask('DELETE', key),
    makeOld: (key, at) => utimes(join(folder, bucket, `${key}._S3rver_object`), at, at),
    clear: (name) => rm(join(folder, bucket, name), { recursive: true, force: true }),
    stop,
    start: async () => {
      running ??= await launch();
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
