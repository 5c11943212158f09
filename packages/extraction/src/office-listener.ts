import { mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { type RunningTool, runTool, startTool, waitFor } from '@sheaf/runtime';
import { officeLimits, type ToolSize } from './limits.ts';
import { writeOfficeProfile } from './office-profile.ts';
import { OFFICE_ARGS, type OfficeProgram, RESTART_EXIT_CODE } from './office-program.ts';
import type { Limit } from './poppler.ts';

export type OfficeOutcome =
  | { readonly ok: true; readonly pdfPath: string }
  | { readonly ok: false; readonly reason: 'timeout' | 'no_file' | 'died' };

const START_MS = 30_000;
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
  #profileArg = '';
  #pipePath: string | undefined;
  #documents = 0;

  constructor(program: OfficeProgram, folder: string, size: ToolSize) {
    this.#program = program;
    this.#folder = folder;
    this.#size = size;
  }

  /** Writes the PDF of `inputPath` into `outFolder`. One call at a time. Throws the signal's reason when aborted. */
  async convert(inputPath: string, outFolder: string, limit: Limit): Promise<OfficeOutcome> {
    if (this.#tool?.isRunning !== true && !(await this.#start(limit.signal))) return { ok: false, reason: 'died' };
    const outcome = await this.#handOver(inputPath, outFolder, limit);
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
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #start(signal: AbortSignal): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true });
    this.#profileArg = await writeOfficeProfile(join(this.#folder, 'profile'));
    this.#documents = 0;
    for (let start = 0; start < MAX_STARTS; start += 1) {
      // The blank document keeps it from leaving after its first job.
      const args = [...OFFICE_ARGS, this.#profileArg, 'private:factory/swriter'];
      const tool = startTool({ file: this.#program.main, args, cwd: this.#folder, limits: officeLimits(this.#size) });
      tool.stdout.resume();
      this.#tool = tool;
      if ((await this.#isListening(tool, signal)) && (await this.#isWarm(signal))) return true;
      const { exitCode } = await tool.stop({ force: true });
      // With a new profile it leaves at once and wants to be started again.
      if (exitCode !== RESTART_EXIT_CODE) break;
    }
    await this.stop();
    signal.throwIfAborted();
    return false;
  }

  async #isListening(tool: RunningTool, signal: AbortSignal): Promise<boolean> {
    try {
      this.#pipePath = await waitFor(async () => (tool.isRunning ? findPipe(tool.pid) : 'gone'), {
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
    const outcome = await this.#handOver(inputPath, this.#folder, { timeoutMs: START_MS, signal });
    return outcome.ok && this.#tool?.isRunning === true;
  }

  async #handOver(inputPath: string, outFolder: string, { timeoutMs, signal }: Limit): Promise<OfficeOutcome> {
    const pdfPath = join(outFolder, `${basename(inputPath, extname(inputPath))}.pdf`);
    const abort = new AbortController();
    this.#tool?.workOn(inputPath);
    void this.#tool?.ended.then(() => abort.abort());
    const run = await runTool({
      file: this.#program.client,
      args: [...OFFICE_ARGS, this.#profileArg, '--convert-to', 'pdf', '--outdir', outFolder, inputPath],
      cwd: this.#folder,
      timeoutMs,
      signal: AbortSignal.any([signal, abort.signal]),
      limits: officeLimits(this.#size),
    });
    this.#tool?.workOn(undefined);
    this.#documents += 1;
    if (run.kind === 'timeout') return { ok: false, reason: 'timeout' };
    if (this.#tool?.isRunning !== true) return { ok: false, reason: 'died' };
    // The exit code is 0 even when nothing was converted.
    return (await hasContent(pdfPath)) ? { ok: true, pdfPath } : { ok: false, reason: 'no_file' };
  }

  async #isWornOut(): Promise<boolean> {
    if (this.#documents >= MAX_DOCUMENTS) return true;
    const status = await readFile(`/proc/${this.#tool?.pid}/status`, 'utf8').catch(() => '');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024 > MAX_RESIDENT_BYTES;
  }
}

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

const hasContent = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).size > 0;
  } catch {
    return false; // not made
  }
};
