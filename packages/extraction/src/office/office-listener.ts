import { readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { makeFolder, residentBytes } from '@sheaf/process/machine';
import { waitFor } from '@sheaf/process/wait';
import { ExchangeFolder, hasOwnTemporaryFolder, type RunningTool, startTool, type ToolCommand } from '@sheaf/sandbox';
import { officeLimits, type ToolSize } from '../limits.ts';
import type { Limit } from '../pdf/poppler.ts';
import { type OfficeJobEnd, sendOfficeJob } from './office-job.ts';
import { writeOfficeProfile } from './office-profile.ts';
import { OFFICE_ARGS, type OfficeProgram, officeEnvironment, RESTART_EXIT_CODE } from './office-program.ts';

/** What LibreOffice is asked to write: a PDF to look at, or a spreadsheet whose cells can be read. */
export type OfficeTarget = 'pdf' | 'ods';

export type OfficeOutcome =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: 'timeout' | 'no_file' | 'died' };

const START_MS = 30_000;
const LEAVE_MS = 5_000;
const MAX_STARTS = 3;
/** Starts anew after so many documents or at this size, whatever comes first: offices grow. */
const MAX_DOCUMENTS = 300;
const MAX_RESIDENT_BYTES = 900 * 1024 * 1024;

/**
 * One LibreOffice that stays: it takes a document in 25 to 110 ms, where a new one needs 0.8 s. It does one document at a
 * time, so a document that hangs or crashes it is known; it is ended then, and started again for the next.
 */
export class OfficeListener {
  readonly #program: OfficeProgram;
  readonly #folder: string;
  readonly #size: ToolSize;
  #tool: RunningTool | undefined;
  #home: Home | undefined;
  #pipePath: string | undefined;
  #documents = 0;

  constructor(program: OfficeProgram, folder: string, size: ToolSize) {
    this.#program = program;
    this.#folder = folder;
    this.#size = size;
  }

  /** Writes `inputPath` as a `target` into `outFolder`. One call at a time. Throws the signal's reason when aborted. */
  async convert(inputPath: string, outFolder: string, target: OfficeTarget, limit: Limit): Promise<OfficeOutcome> {
    if (this.#tool?.isRunning !== true && !(await this.#start(limit.signal))) return { ok: false, reason: 'died' };
    const outcome = await this.#handOver(inputPath, join(outFolder, `warm.${target}`), target, limit);
    const isHealthy = this.#tool?.isRunning === true && (outcome.ok || outcome.reason === 'no_file');
    if (!isHealthy || (await this.#isWornOut())) await this.stop();
    limit.signal.throwIfAborted();
    return outcome;
  }

  async stop(): Promise<void> {
    const tool = this.#tool;
    this.#tool = undefined;
    await tool?.stop({ force: true });
    if (this.#pipePath !== undefined) await rm(this.#pipePath, { force: true });
    this.#pipePath = undefined;
    this.#home = undefined;
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #start(signal: AbortSignal): Promise<boolean> {
    await this.stop(); // what is left of one that died
    await makeFolder(this.#folder);
    this.#home = await openHome(this.#folder);
    this.#documents = 0;
    for (let start = 0; start < MAX_STARTS; start += 1) {
      if (this.#pipePath !== undefined) await rm(this.#pipePath, { force: true }); // of one that has left
      const tool = startTool(this.#command(this.#home));
      tool.stdout.resume();
      this.#tool = tool;
      if ((await this.#isListening(tool, this.#home, signal)) && (await this.#isWarm(signal))) return true;
      // With a new profile it leaves at once, whatever it is asked, and wants to be started again.
      const { exitCode } = await Promise.race([
        tool.ended,
        setTimeout(LEAVE_MS, undefined, { ref: false }).then(() => tool.stop({ force: true })),
      ]);
      if (exitCode !== RESTART_EXIT_CODE) break;
    }
    await this.stop();
    signal.throwIfAborted();
    return false;
  }

  #command({ exchange, temporaryFolder, profileArg }: Home): ToolCommand {
    return {
      file: this.#program.main,
      // The blank document keeps it from leaving after its first job.
      args: [...OFFICE_ARGS, profileArg, 'private:factory/swriter'],
      cwd: exchange.path,
      access: { readOnly: [this.#program.folder], temporaryFolder },
      env: officeEnvironment(this.#program),
      limits: officeLimits(this.#size),
    };
  }

  async #isListening(tool: RunningTool, { temporaryFolder }: Home, signal: AbortSignal): Promise<boolean> {
    const find = hasOwnTemporaryFolder() ? () => findPipeIn(temporaryFolder) : () => findPipe(tool.pid);
    try {
      this.#pipePath = await waitFor(async () => (tool.isRunning ? find() : 'gone'), {
        description: 'LibreOffice to listen',
        limitMs: START_MS,
        signal,
      });
    } catch {
      return false; // too slow or no longer wanted
    }
    return tool.isRunning;
  }

  /** It listens before it has opened its blank document: a first job of our own takes that time, and shows that it works. */
  async #isWarm(signal: AbortSignal): Promise<boolean> {
    const inputPath = join(this.#folder, 'warm-up.rtf');
    await writeFile(inputPath, '{\\rtf1 ready}');
    const outcome = await this.#handOver(inputPath, join(this.#folder, 'warm-up.pdf'), 'pdf', { timeoutMs: START_MS, signal });
    return outcome.ok && this.#tool?.isRunning === true;
  }

  /** The document goes in and what is made of it comes out as copies, so that an office never sees another document than the one it works on. */
  async #handOver(inputPath: string, outPath: string, target: OfficeTarget, limit: Limit): Promise<OfficeOutcome> {
    const home = this.#home;
    if (home === undefined) return { ok: false, reason: 'died' };
    const { exchange } = home;
    const document = await exchange.give(inputPath, extname(inputPath));
    const made = `${document.slice(0, -extname(inputPath).length)}.${target}`;
    this.#tool?.workOn(inputPath);
    try {
      const kind = await this.#convertThere(home, document, target, limit);
      const isTaken = await exchange.take(made, outPath);
      if (kind === 'timeout') return { ok: false, reason: 'timeout' };
      if (this.#tool?.isRunning !== true) return { ok: false, reason: 'died' };
      // An office that is about to be gone may have left a file, half written; and one is done even when nothing was converted.
      return kind === 'done' && isTaken && (await stat(outPath)).size > 0 ? { ok: true, path: outPath } : { ok: false, reason: 'no_file' };
    } finally {
      this.#tool?.workOn(undefined);
      await exchange.remove(document);
    }
  }

  async #convertThere(home: Home, document: string, target: OfficeTarget, { timeoutMs, signal }: Limit): Promise<OfficeJobEnd> {
    const cwd = home.exchange.path;
    const abort = new AbortController();
    void this.#tool?.ended.then(() => abort.abort());
    const args = [...OFFICE_ARGS, '--convert-to', target, '--outdir', cwd, document];
    const limit = { timeoutMs, signal: AbortSignal.any([signal, abort.signal]) };
    const end = await sendOfficeJob({ pipePath: this.#pipePath ?? '', cwd, args }, limit);
    this.#documents += 1;
    return end;
  }

  async #isWornOut(): Promise<boolean> {
    return this.#documents >= MAX_DOCUMENTS || (await treeBytes(this.#tool?.pid)) > MAX_RESIDENT_BYTES;
  }
}

interface Home {
  readonly exchange: ExchangeFolder;
  /** Where the socket lies that it listens on. */
  readonly temporaryFolder: string;
  readonly profileArg: string;
}

const openHome = async (folder: string): Promise<Home> => {
  const exchange = await ExchangeFolder.open(join(folder, 'home'));
  const { path: temporaryFolder } = await ExchangeFolder.open(join(folder, 'tmp'));
  return { exchange, temporaryFolder, profileArg: await writeOfficeProfile(exchange) };
};

/** What a program and those that it has started have in memory. */
const treeBytes = async (pid: number | undefined): Promise<number> => {
  if (pid === undefined) return 0;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const below = await Promise.all(
    children
      .split(' ')
      .filter(Boolean)
      .map((child) => treeBytes(Number(child))),
  );
  return below.reduce((sum, bytes) => sum + bytes, residentBytes(pid));
};

/** In a `/tmp` of its own there is no socket but the office's. */
const findPipeIn = async (temporaryFolder: string): Promise<string | undefined> => {
  const name = (await readdir(temporaryFolder)).find((entry) => entry.startsWith('OSL_PIPE'));
  return name && join(temporaryFolder, name);
};

/** The socket LibreOffice listens on lies in /tmp under a name it makes itself; the kernel knows which is whose. */
const findPipe = async (pid: number | undefined): Promise<string | undefined> => {
  try {
    const descriptors = await readdir(`/proc/${pid}/fd`);
    const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
    const own = new Set(targets.map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1]));
    const sockets = (await readFile(`/proc/${pid}/net/unix`, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
    return sockets.find(([, , , , , , inode, path]) => own.has(inode) && path?.includes('OSL_PIPE'))?.[7];
  } catch {
    return undefined; // it has just left
  }
};
