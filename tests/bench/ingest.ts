import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { waitFor } from '@sheaf/process';
import { ApiClient, makePdf } from '@sheaf/testkit';
import { SUPPORTED_EXTENSIONS } from '@sheaf/vocabulary/file-kinds';
import { familyOf } from '../support/processes.ts';
import { drawPage, INGEST_KINDS, type IngestKind } from './ingest-files.ts';
import { startLoggedService } from './logged-service.ts';
import { machineLine } from './machine.ts';
import { cpuBetween, cpuOf } from './process-cpu.ts';
import { memoryOf, type ProcessMemory } from './process-memory.ts';

const SMALL_SHARE = 0.1;
const LEAST = 4;
const UPLOADS_AT_ONCE = 8;
/** As many as are processed at once on two cores: threads and programs that stay are there before the time is taken. */
const WARM_UPS = 4;
/** Seldom, as each look takes the service ten milliseconds. */
const POLL_MS = 1_000;
const LIMIT_MS = 30 * 60_000;
const TESSERACT_PAGES = 20;
const TESSERACT_FACTOR = 1.2;
const OCRMYPDF_PAGES = 8;
/** Threads end a minute after their last work, and what they leave is released within another. */
const IDLE = { restSeconds: 150, measureSeconds: 30 };
const MB = 1024 ** 2;
const CORES = availableParallelism();
const execute = promisify(execFile);

/** What differs from the defaults, with the reason. */
const SETTINGS: Readonly<Record<string, readonly [value: string, reason: string]>> = {
  RATE_LIMIT_ENABLED: ['false', 'a person may upload 10 files a minute and more only as one request'],
  ALLOWED_FILE_TYPES: [SUPPORTED_EXTENSIONS.join(','), 'office files are off by default'],
};

interface Service {
  readonly pid: number;
  readonly folder: string;
  readonly admin: ApiClient;
}

interface InputFile {
  readonly name: string;
  readonly bytes: Buffer;
}

const ROUTES = { upload, 'watch folder': watch } as const;

/**
 * `pnpm bench ingest [small] [KIND ...] [upload|watch] [idle]`: documents a second until each is searchable and has its picture, with what each
 * process used, for the whole service as a new user starts it.
 */
export const run = async (args: readonly string[]): Promise<void> => {
  const share = args.includes('small') ? SMALL_SHARE : 1;
  const wanted = Object.entries(INGEST_KINDS).filter(([name]) => args.includes(name.split(/\W/)[0] ?? ''));
  const kinds = wanted.length > 0 ? wanted : args.includes('idle') ? [] : Object.entries(INGEST_KINDS);
  const routes = Object.entries(ROUTES).filter(([name]) => args.includes(name.split(' ')[0] ?? ''));
  console.log(`Documents until searchable with picture, the whole service; ${machineLine()}`);
  for (const [name, [value, reason]] of Object.entries(SETTINGS))
    console.log(`unlike the default: ${name}=${value.length > 20 ? '(all)' : value} (${reason})`);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-bench-ingest-'));
  const env = Object.fromEntries(Object.entries(SETTINGS).map(([name, [value]]) => [name, value]));
  await using started = await startLoggedService(folder.path, env);
  const service = { pid: started.pid, folder: folder.path, admin: await new ApiClient(started.url).register('admin') };
  let pictureSeconds: number | undefined;
  for (const [name, kind] of kinds) {
    const count = Math.max(LEAST, Math.round(kind.count * share));
    for (const [route, bring] of routes.length > 0 ? routes : Object.entries(ROUTES)) {
      const seconds = await measure(service, `${name}, ${route}`, kind, { count, mark: `${name[0]}${route[0]}`, bring });
      if (name === 'picture' && route === 'upload') pictureSeconds = seconds / count;
    }
    if (name === 'picture' && pictureSeconds !== undefined) await besideTesseract(folder.path, kind, pictureSeconds);
    if (name === 'scan') await besideOcrMyPdf(service);
  }
  if (kinds.length === 0 || wanted.length === 0 || args.includes('idle')) await measureIdle(service);
};

interface Measured {
  readonly count: number;
  readonly mark: string;
  readonly bring: (service: Service, files: readonly InputFile[]) => Promise<void>;
}

/** Seconds from the first file to the last finished document. Some before them warm up what is started with the first of their kind. */
const measure = async (service: Service, title: string, kind: IngestKind, { count, mark, bring }: Measured): Promise<number> => {
  const fileOf = async (n: number): Promise<InputFile> => ({
    name: `${mark}-${n}.${kind.extension}`,
    bytes: await kind.make(`${mark}${n}`),
  });
  const files: InputFile[] = [];
  for (let n = 0; n < WARM_UPS + count; n += 1) files.push(await fileOf(n));
  const already = await countCompleted(service);
  await upload(service, files.slice(0, WARM_UPS));
  await untilCompleted(service, already + WARM_UPS);
  const before = await cpuOf(service.pid);
  const startedMs = Date.now();
  await bring(service, files.slice(WARM_UPS));
  const seconds = ((await untilCompleted(service, already + files.length)) - startedMs) / 1_000;
  const used = cpuBetween(before, await cpuOf(service.pid));
  const perSecond = count / seconds;
  const goal =
    kind.goalPerSecond === undefined ? '' : `, goal ${kind.goalPerSecond}: ${perSecond >= kind.goalPerSecond ? 'reached' : 'MISSED'}`;
  const total = used.reduce((sum, [, ms]) => sum + ms, 0);
  console.log(`${title}: ${count} in ${seconds.toFixed(1)} s, ${perSecond.toFixed(1)} documents/s${goal}`);
  console.log(
    `  CPU ${(total / count).toFixed(1)} ms a document: ${used.map(([name, ms]) => `${name} ${(ms / count).toFixed(1)}`).join(', ')}`,
  );
  await checkOutcome(service, title, already + files.length);
  return seconds;
};

async function upload({ admin }: Service, files: readonly InputFile[]): Promise<void> {
  const left = [...files];
  const work = async (): Promise<void> => {
    for (let file = left.shift(); file !== undefined; file = left.shift()) {
      const { status, body } = await admin.upload({ name: file.name, bytes: new Uint8Array(file.bytes) });
      if (status !== 201) throw new Error(`${file.name} was answered with ${status}: ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, work));
}

/** Copies the files as a person does, a folder at once. */
async function watch({ folder }: Service, files: readonly InputFile[]): Promise<void> {
  await using source = await mkdtempDisposable(join(folder, 'source-'));
  for (const { name, bytes } of files) await writeFile(join(source.path, name), bytes);
  const target = join(folder, 'watch', files[0]?.name ?? 'empty');
  await mkdir(target);
  await cp(source.path, target, { recursive: true });
}

const countBy = async ({ admin }: Service, filter: string): Promise<number> => {
  const { body } = await admin.get(`/api/documents?per_page=1&${filter}`);
  return Number((body['pagination'] as { total?: unknown } | undefined)?.total ?? body['total'] ?? Number.NaN);
};

const countCompleted = (service: Service): Promise<number> => countBy(service, 'status=completed');

/**
 * When the last of so many documents was completed, as the service recorded it (Unix time, ms). That is the transaction which makes it
 * searchable, and its pictures are made before.
 */
const untilCompleted = async (service: Service, count: number): Promise<number> => {
  await waitFor(async () => (await countCompleted(service)) >= count, {
    description: `${count} documents`,
    limitMs: LIMIT_MS,
    everyMs: POLL_MS,
  });
  const { body } = await service.admin.get('/api/ocr/queue?status=completed&sort=completed_at&order=desc&per_page=1');
  const [last] = body['data'] as readonly { readonly completed_at: string }[];
  return Date.parse(last?.completed_at ?? '');
};

/** Says what is missing: a figure without the pictures is another one. */
const checkOutcome = async (service: Service, title: string, documents: number): Promise<void> => {
  const names = await readdir(service.folder, { recursive: true });
  const tiles = names.filter((name) => name.endsWith('400x400.webp')).length;
  if (tiles < documents) console.log(`  INCOMPLETE: ${title}: ${documents - tiles} of ${documents} documents have no picture`);
  const { body } = await service.admin.get('/api/search?q=harbour&per_page=1');
  const found = Number((body['pagination'] as { total?: unknown } | undefined)?.total ?? body['total'] ?? Number.NaN);
  if (!(found > 0)) console.log(`  INCOMPLETE: the search finds ${found} documents`);
};

/** The same kind of pages by tesseract alone, a process for each core. */
const besideTesseract = async (folder: string, { make }: IngestKind, ownSeconds: number): Promise<void> => {
  const paths: string[] = [];
  for (let n = 0; n < TESSERACT_PAGES; n += 1) {
    const path = join(folder, `alone-${n}.jpg`);
    await writeFile(path, await make(`alone${n}`));
    paths.push(path);
  }
  const startedMs = performance.now();
  try {
    await Promise.all(
      Array.from({ length: CORES }, async () => {
        for (let path = paths.shift(); path !== undefined; path = paths.shift())
          await execute('tesseract', [path, 'stdout', '-l', 'eng'], { env: { ...process.env, OMP_THREAD_LIMIT: '1' } });
      }),
    );
  } catch {
    return console.log('tesseract is not installed: nothing to compare');
  }
  const seconds = (performance.now() - startedMs) / 1_000 / TESSERACT_PAGES;
  const ratio = ownSeconds / seconds;
  const verdict = ratio <= TESSERACT_FACTOR ? 'reached' : 'MISSED';
  console.log(
    `picture of one page: ${ownSeconds.toFixed(2)} s, tesseract alone ${seconds.toFixed(2)} s: x ${ratio.toFixed(2)}, goal ${TESSERACT_FACTOR}: ${verdict}`,
  );
};

const besideOcrMyPdf = async (service: Service): Promise<void> => {
  const pages: { readonly picture: Awaited<ReturnType<typeof drawPage>> }[] = [];
  for (let n = 0; n < OCRMYPDF_PAGES; n += 1) pages.push({ picture: await drawPage(`eight${n}`) });
  const bytes = makePdf(pages);
  const path = join(service.folder, 'eight.pdf');
  await writeFile(path, bytes);
  const already = await countCompleted(service);
  const startedMs = Date.now();
  await upload(service, [{ name: 'eight.pdf', bytes }]);
  const own = ((await untilCompleted(service, already + 1)) - startedMs) / 1_000;
  const theirMs = performance.now();
  try {
    await execute('ocrmypdf', ['--quiet', '--output-type', 'pdf', '--optimize', '0', '--jobs', String(CORES), path, `${path}.out.pdf`]);
  } catch {
    return console.log(`${OCRMYPDF_PAGES} scanned pages: ${own.toFixed(1)} s; OCRmyPDF is not installed: nothing to compare`);
  }
  const theirs = (performance.now() - theirMs) / 1_000;
  console.log(`${OCRMYPDF_PAGES} scanned pages: ${own.toFixed(1)} s, OCRmyPDF ${theirs.toFixed(1)} s: x ${(own / theirs).toFixed(2)}`);
};

const measureIdle = async (service: Service): Promise<void> => {
  const documents = await countCompleted(service);
  await setTimeout(IDLE.restSeconds * 1_000);
  const before = await cpuOf(service.pid);
  await setTimeout(IDLE.measureSeconds * 1_000);
  const used = cpuBetween(before, await cpuOf(service.pid));
  const percent = (ms: number): string => ((100 * ms) / (IDLE.measureSeconds * 1_000)).toFixed(1);
  const memory = Map.groupBy(await memoryOf(await familyOf(service.pid)), ({ name }) => name);
  const sumOf = (some: readonly ProcessMemory[], field: 'bytes' | 'anonymousBytes' | 'fileBytes' | 'sharedBytes'): number =>
    some.reduce((sum, one) => sum + one[field], 0) / MB;
  const all = [...memory.values()].flat();
  console.log(
    `idle with ${documents} documents: ${sumOf(all, 'bytes').toFixed(0)} MB (PSS), ${percent(used.reduce((sum, [, ms]) => sum + ms, 0))} % of a core`,
  );
  for (const [name, some] of [...memory].toSorted(([, a], [, b]) => sumOf(b, 'bytes') - sumOf(a, 'bytes'))) {
    const [own, file, shared] = [sumOf(some, 'anonymousBytes'), sumOf(some, 'fileBytes'), sumOf(some, 'sharedBytes')];
    const kinds = `own ${own.toFixed(0)}, programs and libraries ${file.toFixed(0)}, shared ${shared.toFixed(0)}`;
    console.log(`  ${name} (${some.length}): ${sumOf(some, 'bytes').toFixed(0)} MB: ${kinds}`);
  }
  console.log(`  CPU: ${used.map(([name, ms]) => `${name} ${percent(ms)} %`).join(', ')}`);
};
