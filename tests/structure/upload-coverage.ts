import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { waitFor } from '@sheaf/process';
import { makePdf, makeServiceFolder, RunningService } from '@sheaf/testkit';

const HOOK = pathToFileURL(join(import.meta.dirname, 'coverage-hook.ts'));
const WORD = 'hippopotamus';
const IDLE_MS = 20_000;
const LIMIT_MS = 60_000;

/** Programs that an upload does not pass through; what they do meanwhile is their own. */
const BESIDE = /^apps\/(?:supervisor|watcher|sync|cli)\//;

/** A process or thread of the service, and the production files of which a function ran in it. */
interface Part {
  readonly program: string;
  readonly files: readonly string[];
}

export interface UploadCoverage {
  /** Production files of which a function ran from the upload to the search hit in the api, the OCR worker and their threads. */
  readonly files: ReadonlySet<string>;
  /** Those of them that also run in a service to which nothing happens. */
  readonly idle: ReadonlySet<string>;
}

const filesOf = (parts: readonly Part[]): Set<string> =>
  new Set(parts.filter(({ program }) => !BESIDE.test(program)).flatMap(({ files }) => files));

/** What the hook writes into a folder; the service says there what it does now. */
class Phases {
  readonly #folder: string;
  #now = '';

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Ends the phase, and resolves with what ran in it once each process and thread that lives has written it. */
  async begin(next: string): Promise<readonly Part[]> {
    const ended = this.#now;
    await writeFile(join(this.#folder, 'phase.new'), next);
    await rename(join(this.#folder, 'phase.new'), join(this.#folder, 'phase'));
    this.#now = next;
    const names = await waitFor(
      async () => {
        const all = await readdir(this.#folder);
        const written = all.filter((name) => name.startsWith(`${ended}-`) && name.endsWith('.json'));
        const isWritten = (alive: string): boolean => written.some((name) => name.endsWith(`${alive.slice('alive'.length)}.json`));
        return all.filter((name) => name.startsWith('alive-')).every(isWritten) ? written : undefined;
      },
      { description: 'each process and thread to write what ran in it', limitMs: LIMIT_MS, everyMs: 50 },
    );
    return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(this.#folder, name), 'utf8')) as Part));
  }
}

/** Starts a service on an embedded database of its own, uploads a PDF, waits until a search finds it, and tells which files that took. */
export const measureUpload = async (): Promise<UploadCoverage> => {
  await using folder = await makeServiceFolder();
  await using control = await makeServiceFolder();
  const hook = new URL(`?folder=${encodeURIComponent(control.path)}`, HOOK);
  await using service = new RunningService({ folder: folder.path, env: { NODE_OPTIONS: `--import=${hook.href}` } });
  const admin = await (await service.ready()).register('admin');
  const find = async (): Promise<boolean> => Number((await admin.get(`/api/search?q=${WORD}`)).body['total']) > 0;
  const phases = new Phases(control.path);
  await phases.begin('idle');
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const idle = await phases.begin('upload');
  const { status } = await admin.upload({
    name: 'page.pdf',
    bytes: new Uint8Array(makePdf([{ lines: [`The ${WORD} swims in the river`] }])),
  });
  if (status !== 201) throw new Error(`the upload was answered with ${status}`);
  await waitFor(find, { description: 'a search to find the document', limitMs: LIMIT_MS, everyMs: 100 });
  const files = filesOf(await phases.begin('end'));
  return { files, idle: new Set([...filesOf(idle)].filter((file) => files.has(file))) };
};
