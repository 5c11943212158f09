import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ContainerClient } from '@azure/storage-blob';
import { freePort } from './free-port.ts';
import { startServerProgram } from './server-program.ts';

/** The one account that the program has, and its key, which its manual shows to everybody. */
const ACCOUNT = 'devstoreaccount1';
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** A blob service on loopback with one container. It checks signatures. */
export interface Azurite extends AsyncDisposable {
  readonly url: string;
  readonly container: string;
  readonly connectionString: string;
  /** The same account by way of another address, such as a proxy's. */
  connectionStringBy(url: string): string;
  /** Clients that are not the ones under test: of the container, and of one that is made for the call. */
  readonly client: ContainerClient;
  makeContainer(): Promise<ContainerClient>;
  /** Away, with what is stored kept where it was asked for. */
  stop(): Promise<void>;
  /** Back at the same address. */
  start(): Promise<void>;
}

const connectionStringOf = (url: string, key = KEY): string =>
  `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${key};BlobEndpoint=${url}/${ACCOUNT};`;

/**
 * What it stores is in its memory, unless it is to be kept over a stop: on disk, an upload that is cut off damages those beside it,
 * as its writer writes on while the next one begins at the same place.
 */
export const openAzurite = async ({ container = 'documents', isKept = false } = {}): Promise<Azurite> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-azurite-'));
  const port = await freePort();
  const program = fileURLToPath(new URL('./blob/main.js', import.meta.resolve('azurite')));
  const options = [...(isKept ? ['--location', folder] : ['--inMemoryPersistence']), '--blobHost', '127.0.0.1', '--blobPort', String(port)];
  const launch = () =>
    startServerProgram(process.execPath, [program, '--skipApiVersionCheck', '--disableTelemetry', '--silent', ...options], port);
  let running: AsyncDisposable | undefined = await launch();
  const url = `http://127.0.0.1:${port}`;
  const client = new ContainerClient(connectionStringOf(url), container);
  await client.create();
  const stop = async (): Promise<void> => {
    await running?.[Symbol.asyncDispose]();
    running = undefined;
  };
  return {
    url,
    container,
    connectionString: connectionStringOf(url),
    connectionStringBy: connectionStringOf,
    client,
    makeContainer: async () => {
      const made = new ContainerClient(connectionStringOf(url), `c${randomUUID()}`);
      await made.create();
      return made;
    },
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
