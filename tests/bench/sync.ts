import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRcloneServer } from '../support/rclone-server.ts';
import { openS3Server } from '../support/s3-server.ts';
import { WEBDAV_USER } from '../support/webdav-folder.ts';
import { type BenchSource, openBenchSync } from './bench-sync.ts';
import { machineLine } from './machine.ts';

const SIZES = { full: { files: 5_000, known: 50_000 }, small: { files: 500, known: 5_000 } };
const FILE_BYTES = 10_000;
const FILES_A_FOLDER = 100;
const MB = 1024 ** 2;
const WANTED = { share: 0.5, memoryMb: 64, unchangedSeconds: 30 };

const PARTS = { webdav: measureWebdav, s3: measureS3, unchanged: measureUnchanged };

/** `pnpm bench sync [webdav|s3|unchanged] [small]`: a sync process alone, on a database of its own. */
export const run = async (args: readonly string[]): Promise<void> => {
  console.log(`A sync process beside PostgreSQL and the server that it reads from, no ocr-worker; ${machineLine()}`);
  const { files, known } = args.includes('small') ? SIZES.small : SIZES.full;
  const chosen = Object.entries(PARTS).filter(([name]) => args.includes(name));
  for (const [, measure] of chosen.length === 0 ? Object.entries(PARTS) : chosen) await measure({ files, known });
};

interface Counts {
  readonly files: number;
  readonly known: number;
}

const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'MISSED');

const fillFolder = async (folder: string, count: number, bytes = FILE_BYTES): Promise<void> => {
  for (let begin = 0; begin < count; begin += FILES_A_FOLDER) {
    const path = join(folder, String(begin / FILES_A_FOLDER));
    await mkdir(path, { recursive: true });
    const numbers = Array.from({ length: Math.min(FILES_A_FOLDER, count - begin) }, (_, i) => begin + i);
    await Promise.all(numbers.map((n) => writeFile(join(path, `${n}.txt`), randomBytes(bytes / 2).toString('hex'))));
  }
};

/** Files a second that rclone copies to a local disk, from wherever `remote` says. */
const copyRate = async (files: number, remote: readonly string[]): Promise<number> => {
  const target = await mkdtemp(join(tmpdir(), 'sheaf-bench-copy-'));
  const startedMs = performance.now();
  // Nothing of the environment, which may name certificates and accounts.
  execFileSync('rclone', ['copy', ...remote, target, '--config', '/dev/null'], { env: { PATH: process.env['PATH'] } });
  const seconds = (performance.now() - startedMs) / 1_000;
  const copied = (await readdir(target, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length;
  await rm(target, { recursive: true, force: true });
  if (copied !== files) throw new Error(`rclone copied ${copied} of ${files} files`);
  return files / seconds;
};

interface Rates {
  /** From the same server. */
  readonly remote: number;
  /** From a folder of the same disk: no server, no network, no fsync. */
  readonly local: number;
}

const measureFirst = async (name: string, source: BenchSource, copied: Rates, { files }: Counts): Promise<void> => {
  await using bench = await openBenchSync();
  const [memoryBefore, usedBefore] = [await bench.memoryBytes(), await bench.processorSeconds()];
  const id = await bench.addSource(source);
  const { run, seconds } = await bench.run(id);
  const { rows } = await bench.pool.query<{ n: number }>(
    'select count(*)::int as n from documents join ocr_jobs on ocr_jobs.document_id = documents.id where source_id = $1',
    [id],
  );
  if (run.added !== files || rows[0]?.n !== files) throw new Error(`${run.added} files added, ${rows[0]?.n} documents queued`);
  const rate = files / seconds;
  const more = ((await bench.peakMemoryBytes()) - memoryBefore) / MB;
  const used = (((await bench.processorSeconds()) - usedBefore) * 1_000) / files;
  console.log(
    `${name}: ${files} files of ${FILE_BYTES} bytes in ${seconds.toFixed(1)} s, ${rate.toFixed(0)} files/s, stored, hashed and queued (${used.toFixed(1)} ms of processor each); rclone copy of the same tree to a local disk ${copied.remote.toFixed(0)} files/s: ${(rate / copied.remote).toFixed(2)} (at least ${WANTED.share}: ${verdict(rate / copied.remote >= WANTED.share)}); from a local folder it copies ${copied.local.toFixed(0)} files/s: ${(rate / copied.local).toFixed(2)}; memory ${more.toFixed(0)} MB more than before (at most ${WANTED.memoryMb}: ${verdict(more <= WANTED.memoryMb)})`,
  );
  const again = await bench.run(id);
  console.log(`${name}: a second run, nothing changed: ${again.seconds.toFixed(1)} s`);
};

const toSource = (url: string, password: string): BenchSource => ({ type: 'webdav', url, username: WEBDAV_USER, password, settings: {} });

async function measureWebdav(counts: Counts): Promise<void> {
  await using server = await openRcloneServer({ remembersFolders: true });
  await fillFolder(server.folder, counts.files);
  const secret = execFileSync('rclone', ['obscure', server.password]).toString().trim();
  const credentials = ['--webdav-user', WEBDAV_USER, '--webdav-pass', secret];
  const copied = {
    remote: await copyRate(counts.files, [':webdav:', '--webdav-url', server.url, ...credentials]),
    local: await copyRate(counts.files, [server.folder]),
  };
  await measureFirst('WebDAV (rclone serve)', toSource(server.url, server.password), copied, counts);
}

async function measureS3(counts: Counts): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-bench-tree-'));
  await fillFolder(folder, counts.files);
  await using server = await openS3Server();
  for (const name of await readdir(folder))
    for (const file of await readdir(join(folder, name))) await server.put(`${name}/${file}`, await readFile(join(folder, name, file)));
  const keys = ['--s3-access-key-id', 'S3RVER', '--s3-secret-access-key', 'S3RVER', '--s3-endpoint', server.url];
  const copied = {
    remote: await copyRate(counts.files, [`:s3:${server.bucket}`, '--s3-provider', 'Other', ...keys]),
    local: await copyRate(counts.files, [folder]),
  };
  const settings = { bucket: server.bucket, endpoint_url: server.url };
  await measureFirst('S3 (s3rver)', { type: 's3', url: null, username: 'S3RVER', password: 'S3RVER', settings }, copied, counts);
  await rm(folder, { recursive: true, force: true });
}

/** A source that is known through and through: the first run imports small files, the second one looks at them all. */
async function measureUnchanged({ known }: Counts): Promise<void> {
  await using server = await openRcloneServer({ remembersFolders: true });
  await fillFolder(server.folder, known, 100);
  await using bench = await openBenchSync();
  const id = await bench.addSource(toSource(server.url, server.password));
  const first = await bench.run(id);
  const before = await bench.memoryBytes();
  const { run, seconds } = await bench.run(id);
  if (run.skipped !== known || run.bytes !== 0) throw new Error(`${run.skipped} files skipped, ${run.bytes} bytes fetched`);
  console.log(
    `${known} unchanged files: ${seconds.toFixed(1)} s (at most ${WANTED.unchangedSeconds}: ${verdict(seconds < WANTED.unchangedSeconds)}), nothing fetched, resident memory ${(before / MB).toFixed(0)} MB before; taking them in took ${first.seconds.toFixed(0)} s (${(known / first.seconds).toFixed(0)} files/s)`,
  );
}
