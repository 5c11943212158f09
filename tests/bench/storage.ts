import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { BlobServiceClient } from '@azure/storage-blob';
import { Secret } from '@sheaf/contract';
import { documentKey, openOneStorage, type Storage, type StorageSettings } from '@sheaf/storage';
import { openAzurite } from '../support/azurite.ts';
import { openS3Server } from '../support/s3-server.ts';
import { measureBackup } from './backup.ts';
import { machineLine } from './machine.ts';
import { median } from './median.ts';

const SIZES = {
  full: { files: 100, bytes: 5 * 1_000_000, rounds: 3, documents: 20_000 },
  small: { files: 20, bytes: 1_000_000, rounds: 1, documents: 1_000 },
};
type Sizes = (typeof SIZES)[keyof typeof SIZES];

const MB = 1_000_000;
/** Files that are on their way at the same time, for both sides of a comparison. */
const AT_ONCE = 4;
const WANTED = { local: 0.6, s3: 0.8 };

const run$ = promisify(execFile);

/** `pnpm bench storage [local|s3|azure|backup] [small]`. */
export const run = async (args: readonly string[]): Promise<void> => {
  const sizes = args.includes('small') ? SIZES.small : SIZES.full;
  const isChosen = (name: string): boolean =>
    !['local', 's3', 'azure', 'backup'].some((part) => args.includes(part)) || args.includes(name);
  console.log(`${sizes.files} files of ${sizes.bytes / MB} MB, ${AT_ONCE} at a time, median of ${sizes.rounds}; ${machineLine()}`);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-bench-storage-'));
  if (isChosen('local')) await measureLocal(folder.path, sizes);
  if (isChosen('s3')) await measureS3(folder.path, sizes);
  if (isChosen('azure')) await measureAzure(folder.path, sizes);
  if (isChosen('backup')) await measureBackup(sizes.documents);
};

// ---- the files, and who moves them ------------------------------------------------------------------------------------------

interface File {
  readonly path: string;
  readonly key: string;
}

/** Bytes that nothing can compress, anew for each round: what is stored already is not stored again. */
const makeFiles = async (folder: string, { files, bytes }: Sizes): Promise<File[]> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const made: File[] = [];
  for (let n = 0; n < files; n += 1) {
    const content = randomBytes(bytes);
    const path = join(folder, String(n));
    await writeFile(path, content);
    made.push({ path, key: documentKey(createHash('sha256').update(content).digest('hex')) });
  }
  await run$('sync');
  return made;
};

const forEach = async (files: readonly File[], work: (file: File) => Promise<unknown>): Promise<void> => {
  const waiting = [...files];
  const lane = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) await work(file);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
};

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1_000;
};

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

interface Rival {
  readonly name: string;
  readonly up: (files: readonly File[]) => Promise<unknown>;
  readonly down: (files: readonly File[]) => Promise<unknown>;
}

/** Both take turns, each with files of its own. */
const compare = async (folder: string, sizes: Sizes, ours: Rival, theirs: Rival, wanted: number | undefined): Promise<void> => {
  const taken = { up: { ours: [] as number[], theirs: [] as number[] }, down: { ours: [] as number[], theirs: [] as number[] } };
  for (let round = 0; round < sizes.rounds; round += 1) {
    const sides = [
      { side: 'ours' as const, rival: ours },
      { side: 'theirs' as const, rival: theirs },
    ];
    for (const { side, rival } of round % 2 === 0 ? sides : sides.toReversed()) {
      const files = await makeFiles(join(folder, 'source'), sizes);
      taken.up[side].push(await secondsOf(() => rival.up(files)));
      taken.down[side].push(await secondsOf(() => rival.down(files)));
    }
  }
  const total = (sizes.files * sizes.bytes) / MB;
  for (const way of ['up', 'down'] as const) {
    const [own, other] = [median(taken[way].ours) ?? Number.NaN, median(taken[way].theirs) ?? Number.NaN];
    const ratio = other / own;
    const judged = wanted === undefined ? '' : ` (at least ${wanted}: ${ratio >= wanted ? 'reached' : 'MISSED'})`;
    console.log(
      `${way === 'up' ? 'upload' : 'download'}, ${ours.name}: ${(total / own).toFixed(0)} MB/s; ${theirs.name}: ${(total / other).toFixed(0)} MB/s; ratio ${ratio.toFixed(2)}${judged}`,
    );
  }
};

/** Uploads are streams, so that no driver can take a short cut by linking; downloads end in files, or nowhere. */
const ourSide = (name: string, storage: Storage, target: ((file: File) => string) | undefined): Rival => ({
  name,
  up: (files) => forEach(files, ({ key, path }) => storage.put(key, createReadStream(path))),
  down: (files) =>
    forEach(files, async (file) => {
      const { stream } = await storage.open(file.key);
      await pipeline(stream, target === undefined ? nowhere() : createWriteStream(target(file)));
    }),
});

// ---- local ------------------------------------------------------------------------------------------------------------------

const settingsIn = (folder: string): StorageSettings => ({
  type: 'local',
  path: join(folder, 'uploads'),
  thumbnailPath: join(folder, 'uploads', 'thumbnails'),
  tempPath: join(folder, 'uploads', 'temp'),
  s3: undefined,
  azure: undefined,
});

const options = { hasLocalDocuments: async () => false };

async function measureLocal(folder: string, sizes: Sizes): Promise<void> {
  const [copies, targets] = [join(folder, 'copies'), join(folder, 'targets')];
  await mkdir(copies);
  await mkdir(targets);
  const storage = await openOneStorage('local', settingsIn(folder), options);
  const nameOf = ({ path }: File): string => path.slice(path.lastIndexOf('/') + 1);
  const copy = (from: (file: File) => string, to: string) => (files: readonly File[]) => run$('cp', [...files.map(from), to]);
  const ours = ourSide('local storage (synced to the disk)', storage, (file) => join(targets, nameOf(file)));
  const cp: Rival = { name: 'cp', up: copy(({ path }) => path, copies), down: copy((file) => join(copies, nameOf(file)), targets) };
  await compare(folder, sizes, ours, cp, WANTED.local);
  const synced: Rival = {
    name: 'cp and sync',
    up: async (files) => {
      await cp.up(files);
      await run$('sync', ['-f', copies]);
    },
    down: cp.down,
  };
  await compare(folder, sizes, ours, synced, undefined);
}

// ---- S3 ---------------------------------------------------------------------------------------------------------------------

async function measureS3(folder: string, sizes: Sizes): Promise<void> {
  await using server = await openS3Server();
  const access = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  const s3 = {
    bucket: server.bucket,
    accessKeyId: access.accessKeyId,
    secretAccessKey: new Secret(access.secretAccessKey),
    region: 'us-east-1',
    endpointUrl: server.url,
    forcePathStyle: true,
    prefix: '',
    verifyCertificate: true,
    storageClass: 'STANDARD',
    encryption: undefined,
    kmsKeyId: undefined,
  };
  const storage = await openOneStorage('s3', { ...settingsIn(folder), type: 's3', s3 }, options);
  const client = new S3Client({
    region: s3.region,
    endpoint: server.url,
    forcePathStyle: true,
    credentials: access,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const sdk: Rival = {
    name: 'plain SDK',
    up: (files) =>
      forEach(files, ({ key, path }) =>
        client.send(new PutObjectCommand({ Bucket: server.bucket, Key: key, Body: createReadStream(path), ContentLength: sizes.bytes })),
      ),
    down: (files) =>
      forEach(files, async ({ key }) => {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: server.bucket, Key: key }));
        await pipeline(Body as NodeJS.ReadableStream, nowhere());
      }),
  };
  const ours = ourSide('S3 storage', storage, undefined);
  const fromFiles: Rival = { ...ours, up: (files) => forEach(files, ({ key, path }) => storage.put(key, path)) };
  await compare(folder, sizes, fromFiles, sdk, WANTED.s3);
  await storage.close();
  client.destroy();
}

// ---- Azure ------------------------------------------------------------------------------------------------------------------

async function measureAzure(folder: string, sizes: Sizes): Promise<void> {
  await using server = await openAzurite();
  const azure = { connectionString: new Secret(server.connectionString), container: server.container };
  const storage = await openOneStorage('azure', { ...settingsIn(folder), type: 'azure', azure }, options);
  const client = BlobServiceClient.fromConnectionString(server.connectionString).getContainerClient(server.container);
  const sdk: Rival = {
    name: 'plain SDK',
    up: (files) => forEach(files, ({ key, path }) => client.getBlockBlobClient(key).uploadFile(path)),
    down: (files) =>
      forEach(files, async ({ key }) => {
        const { readableStreamBody } = await client.getBlockBlobClient(key).download();
        if (readableStreamBody !== undefined) await pipeline(readableStreamBody, nowhere());
      }),
  };
  const ours = ourSide('Azure storage', storage, undefined);
  await compare(folder, sizes, { ...ours, up: (files) => forEach(files, ({ key, path }) => storage.put(key, path)) }, sdk, undefined);
  await storage.close();
}
