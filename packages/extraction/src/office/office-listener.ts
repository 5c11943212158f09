import { lstat, open, readdir, readFile, readlink, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { basename, dirname, extname, join } from 'node:path';
import { setTimeout as sleepMs } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { makeFolder, residentBytes } from '@sheaf/process/machine';
import { sleep, waitFor } from '@sheaf/process/wait';
import { ExchangeFolder, hasOwnTemporaryFolder, type RunningTool, startTool, type ToolCommand } from '@sheaf/sandbox';
import { officeLimits, type ToolSize } from '../extraction.ts';
import { findProgram, isExecutable } from '../find-program.ts';
import type { Limit } from '../pdf/poppler.ts';

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
/** Without a document: it takes 170 MB, which a service at rest has better use for. */
const IDLE_MS = 60_000;

/**
 * One LibreOffice that stays while there is work: it takes a document in 25 to 110 ms, where a new one needs 0.8 s. It does one document at
 * a time, so a document that hangs or crashes it is known; it is ended then, or after a rest, and started again for the next.
 */
export class OfficeListener {
  readonly #program: OfficeProgram;
  readonly #folder: string;
  readonly #size: ToolSize;
  readonly #idleMs: number;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Of one that has rested for long: its folder is that of the next. */
  #leaving: Promise<void> | undefined;
  #tool: RunningTool | undefined;
  #home: Home | undefined;
  #pipePath: string | undefined;
  #documents = 0;

  constructor(program: OfficeProgram, folder: string, { size, idleMs = IDLE_MS }: { readonly size: ToolSize; readonly idleMs?: number }) {
    this.#program = program;
    this.#folder = folder;
    this.#size = size;
    this.#idleMs = idleMs;
  }

  /** Writes `inputPath` as a `target` into `outFolder`. One call at a time. Throws the signal's reason when aborted. */
  async convert(inputPath: string, outFolder: string, target: OfficeTarget, limit: Limit): Promise<OfficeOutcome> {
    clearTimeout(this.#idleTimer);
    await this.#leaving;
    if (this.#tool?.isRunning !== true && !(await this.#start(limit.signal))) return { ok: false, reason: 'died' };
    const outcome = await this.#handOver(inputPath, join(outFolder, `warm.${target}`), target, limit);
    const isHealthy = this.#tool?.isRunning === true && (outcome.ok || outcome.reason === 'no_file');
    if (!isHealthy || (await this.#isWornOut())) await this.stop();
    else this.#rest();
    limit.signal.throwIfAborted();
    return outcome;
  }

  /** It leaves when no document has come for so long. */
  #rest(): void {
    this.#idleTimer = setTimeout(() => {
      const isGone = this.#end().catch(() => {}); // the next start clears away what is left
      this.#leaving = isGone.finally(() => {
        this.#leaving = undefined;
      });
    }, this.#idleMs).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await this.#leaving;
    await this.#end();
  }

  async #end(): Promise<void> {
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
        sleepMs(LEAVE_MS, undefined, { ref: false }).then(() => tool.stop({ force: true })),
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
      const found = await waitFor(async () => !tool.isRunning || find(), {
        description: 'LibreOffice to listen',
        limitMs: START_MS,
        signal,
      });
      if (found === true) return false;
      this.#pipePath = found;
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

export interface OfficeProgram {
  /** The office itself. The `soffice` script starts it as a grandchild, which would survive a killed parent. */
  readonly main: string;
  /** Where it is installed. */
  readonly folder: string;
}

export const OFFICE_ARGS = ['--headless', '--norestore', '--nologo', '--nodefault', '--nolockcheck', '--nofirststartwizard'];
/** It finds its libraries beside itself by `/proc`, which a sandbox in a container may not have. */
export const officeEnvironment = ({ main }: OfficeProgram): Record<string, string> => ({ LD_LIBRARY_PATH: dirname(main) });

/** What it ends with when it has made a new profile and wants to be started again. */
export const RESTART_EXIT_CODE = 81;

export const findOffice = async (): Promise<OfficeProgram | undefined> => {
  const script = (await findProgram('soffice')) ?? (await findProgram('libreoffice'));
  if (script === undefined) return undefined;
  const folder = dirname(await realpath(script));
  const program = { main: join(folder, 'soffice.bin'), folder: dirname(folder) };
  return (await isExecutable(program.main)) ? program : undefined;
};

interface Setting {
  readonly path: string;
  readonly name: string;
  readonly value: string | number | boolean;
}

const SECURITY = '/org.openoffice.Office.Common/Security/Scripting';
const NEVER_IN_WRITER = 0;
const NEVER_IN_CALC = 2;
/** Only macros from trusted places, of which there are none. */
const VERY_HIGH = 3;

/**
 * What LibreOffice may not do with a stranger's document: run macros, follow links, fetch pictures, keep copies, and make pictures
 * coarser.
 */
const SETTINGS: readonly Setting[] = [
  { path: SECURITY, name: 'MacroSecurityLevel', value: VERY_HIGH },
  { path: SECURITY, name: 'DisableMacrosExecution', value: true },
  { path: SECURITY, name: 'DisablePythonRuntime', value: true },
  { path: SECURITY, name: 'BlockUntrustedRefererLinks', value: true },
  { path: '/org.openoffice.Office.Writer/Content/Update', name: 'Link', value: NEVER_IN_WRITER },
  { path: '/org.openoffice.Office.Calc/Content/Update', name: 'Link', value: NEVER_IN_CALC },
  { path: '/org.openoffice.Office.Java/VirtualMachine', name: 'Enable', value: false },
  { path: '/org.openoffice.Office.Common/History', name: 'PickListSize', value: 0 },
  // pictures are recognised in the rendition
  { path: '/org.openoffice.Office.Common/Filter/PDF/Export', name: 'ReduceImageResolution', value: false },
  { path: '/org.openoffice.Office.Recovery/AutoSave', name: 'Enabled', value: false },
];

const toItem = ({ path, name, value }: Setting): string =>
  `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`;

/** Makes a profile for LibreOffice in `exchange`, and returns the argument that makes it use it. */
export const writeOfficeProfile = async (exchange: ExchangeFolder): Promise<string> => {
  await exchange.prepare(
    'profile/user/registrymodifications.xcu',
    `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
${SETTINGS.map(toItem).join('\n')}
</oor:items>
`,
  );
  // LibreOffice takes `$` in an address for a variable of its own, so nothing is left as it is.
  const address = join(exchange.path, 'profile').split('/').map(encodeURIComponent).join('/');
  return `-env:UserInstallation=file://${address}`;
};

/** What the office says to whoever connects, and when it has done what it was asked; each with a zero byte behind it. */
const READY = 'InternalIPC::SendArguments\0';
const DONE = 'InternalIPC::ProcessingDone\0';
const BEGIN = 'InternalIPC::Arguments';
const FOLDER = '1';

interface OfficeJob {
  /** The socket that the office listens on. */
  readonly pipePath: string;
  readonly cwd: string;
  readonly args: readonly string[];
}

/** `refused`: it left, or said something else than an office does. */
type OfficeJobEnd = 'done' | 'refused' | 'timeout' | 'cancelled';

/**
 * Has a running LibreOffice do what its program would do with these arguments, and waits until it is done; that does not tell whether anything
 * was converted. It is what `soffice` itself says to one that runs: to start that program in a sandbox costs as much as a short conversion.
 */
export const sendOfficeJob = async (job: OfficeJob, { timeoutMs, signal }: Limit): Promise<OfficeJobEnd> => {
  // the office could put another name in its place; nothing is said to whoever does not greet as an office does
  const found = await lstat(job.pipePath).catch(() => undefined);
  if (found?.isSocket() !== true) return 'refused';
  // a path of more than 107 bytes cannot be connected to
  await using folder = await open(dirname(job.pipePath));
  const path = `/proc/self/fd/${folder.fd}/${basename(job.pipePath)}`;
  const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
  const either = AbortSignal.any([signal, timeout]);
  let answer = await ask(path, job, either);
  // its socket has a name a moment before it listens on it
  while (answer === 'nobody' && (await sleep(ASK_AGAIN_MS, either))) answer = await ask(path, job, either);
  if (answer === 'done') return 'done';
  if (signal.aborted) return 'cancelled';
  return timeout.aborted ? 'timeout' : 'refused';
};

const ASK_AGAIN_MS = 25;

/** Whether the office said that it is done, left or said something else, or does not listen on its socket. */
type Answer = 'done' | 'refused' | 'nobody';

const ask = async (path: string, job: OfficeJob, signal: AbortSignal): Promise<Answer> => {
  const socket = connect(path);
  const end = (): void => void socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await converse(socket, job);
  } finally {
    signal.removeEventListener('abort', end);
    socket.destroy();
  }
};

const converse = (socket: Socket, job: OfficeJob): Promise<Answer> =>
  new Promise((resolve) => {
    let said = '';
    let isAnswered = true;
    socket.on('error', (error: NodeJS.ErrnoException) => {
      isAnswered = error.code !== 'ECONNREFUSED';
    });
    socket.on('close', () => {
      if (said === READY + DONE) resolve('done');
      else resolve(isAnswered ? 'refused' : 'nobody');
    });
    socket.on('data', (chunk) => {
      const before = said;
      said += chunk.toString('latin1');
      if (!(READY + DONE).startsWith(said)) socket.destroy();
      else if (said.length >= READY.length && before.length < READY.length) socket.write(wordsOf(job));
      else if (said === READY + DONE) socket.destroy();
    });
  });

const wordsOf = ({ cwd, args }: OfficeJob): string =>
  `${BEGIN}${FOLDER}${escaped(pathToFileURL(cwd).href)}${args.map((arg) => `,${escaped(arg)}`).join('')}\0`;

const escaped = (word: string): string => word.replaceAll('\0', '').replaceAll(/[\\,]/g, String.raw`\$&`);
