import { existsSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import type { SandboxLayers } from '@sheaf/contract/operations';
import { lateLibrary } from '@sheaf/process/late-library';
import type { ToolAccess } from './sandbox/bubblewrap.ts';
import { parserUser, sandboxLayers, sandboxPrefix } from './sandbox/sandbox.ts';

export interface ToolCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The scratch folder: working directory and home of the program, which it may write to. */
  readonly cwd: string;
  /** What else it may open. */
  readonly access?: ToolAccess;
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Partial<ToolLimits>;
}

export interface ToolRun extends ToolCommand {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Standard output beyond this ends the program. */
  readonly maxOutputBytes?: number;
  readonly input?: Uint8Array;
}

/** How a program ended. A missing program, a time limit and a non-zero exit are outcomes, not exceptions. */
export type ToolOutcome =
  | { readonly kind: 'done'; readonly stdout: Buffer; readonly stderr: string }
  | { readonly kind: 'failed'; readonly exitCode: number | undefined; readonly signal: string | undefined; readonly stderr: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'output_too_large' }
  | { readonly kind: 'missing' };

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const KILL_AFTER_MS = 1_000;

/** The whole environment of a program: a document must not be able to make one tell a secret of ours. */
export const toolEnvironment = (cwd: string, env: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: cwd,
  TMPDIR: cwd,
  LANG: 'C.UTF-8',
  // Memory in large pages: where a page fault is dear, as in a virtual machine, LibreOffice starts in a fifth of the time (1.2 s instead
  // of 6.5), and Tesseract recognises a page in four fifths of it. Another libc ignores it.
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
  ...env,
});

/** What every program is started with: the command line behind its guard, and execa options that end the whole family. */
export const guardedCommand = ({ file, args, cwd, access, env, limits }: ToolCommand) => {
  const [first, ...rest] = [...guardPrefix({ ...DEFAULT_TOOL_LIMITS, ...limits }, { file, cwd, access }), file, ...args];
  return {
    file: first ?? file,
    args: rest,
    options: {
      cwd,
      killDescendants: true,
      forceKillAfterDelay: KILL_AFTER_MS,
      reject: false,
      extendEnv: false,
      env: toolEnvironment(cwd, env),
    },
  } as const;
};

/**
 * Runs one program to its end: a bare environment, limits on time, memory and output, the sandbox of this machine, its whole
 * family ended with it. Programs that read documents are started here, or by `startTool` when they stay. Throws ENOSPC where it
 * failed on a full disk.
 */
export const runTool = async (run: ToolRun): Promise<ToolOutcome> => {
  const { file, args, options } = guardedCommand({ ...run, limits: { cpuSeconds: cpuSecondsFor(run.timeoutMs), ...run.limits } });
  noteProgramStart(run.file);
  const result = await lateLibrary('execa').execa(file, args, {
    ...options,
    timeout: Math.ceil(run.timeoutMs),
    cancelSignal: run.signal,
    maxBuffer: run.maxOutputBytes ?? MAX_OUTPUT_BYTES,
    encoding: 'buffer',
    stripFinalNewline: false,
    ...(run.input === undefined ? { stdin: 'ignore' as const } : { input: run.input }),
  });
  const stderr = Buffer.from(result.stderr ?? [])
    .toString('utf8')
    .slice(0, 4_000);
  if (result.timedOut) return { kind: 'timeout' };
  if (result.isCanceled) return { kind: 'cancelled' };
  if (result.isMaxBuffer) return { kind: 'output_too_large' };
  if (isMissing(result.code, result.exitCode, stderr)) return { kind: 'missing' };
  if (result.failed) await refuseFullDisk(run.cwd);
  if (result.failed) return { kind: 'failed', exitCode: result.exitCode, signal: result.signal, stderr };
  return { kind: 'done', stdout: Buffer.from(result.stdout ?? []), stderr };
};

/** Less than any program writes at a time that makes files here. */
const NO_BYTES = 64 * 1024;

/**
 * A program seldom says that it found no room, and what it says may come from the document. What it has written is still there, so that
 * the disk is full still. Throws ENOSPC then, as the system would.
 */
const refuseFullDisk = async (folder: string): Promise<void> => {
  const disk = await statfs(folder).catch(() => undefined); // without the folder, it has failed for another reason
  if (disk === undefined || disk.bavail * disk.bsize >= NO_BYTES) return;
  throw Object.assign(new Error(`ENOSPC: no space left on device, write '${folder}'`), { code: 'ENOSPC', syscall: 'write', path: folder });
};

/** More than the time limit lets a program of two threads use: this is for one that the limit, for whatever reason, did not end. */
const cpuSecondsFor = (timeoutMs: number): number => 2 * Math.ceil(timeoutMs / 1_000) + 1;

/** Started directly, a missing program is ENOENT; behind its guard, it is a line of the word that should have become it. */
const isMissing = (code: string | undefined, exitCode: number | undefined, stderr: string): boolean =>
  code === 'ENOENT' ||
  (exitCode === 127 && stderr.includes('setpriv: failed to execute')) ||
  (exitCode === 1 && stderr.startsWith('bwrap: execvp ') && stderr.includes('No such file or directory'));

/** How often each program was started, in this process and its threads: a start costs more than most of what is done in it. */
const CHANNEL = 'sheaf program starts';
const starts = new Map<string, number>();
let channel: BroadcastChannel | undefined;

const count = (program: string): void => void starts.set(program, (starts.get(program) ?? 0) + 1);

const openChannel = (): BroadcastChannel => {
  channel ??= new BroadcastChannel(CHANNEL);
  channel.unref();
  return channel;
};

/** Counts a start. */
export const noteProgramStart = (program: string): void => {
  if (isMainThread) count(program);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads of one process
  else openChannel().postMessage(program);
};

/** The starts so far by the path of the program; call it in the main thread, and once before the threads begin. */
export const readProgramStarts = (): ReadonlyMap<string, number> => {
  if (channel === undefined) openChannel().addEventListener('message', (event) => count((event as MessageEvent<string>).data));
  return starts;
};

/** What a program that reads a stranger's document may use. `undefined` leaves the matter to the system. */
interface ToolLimits {
  /** Memory it may write to. Not address space: programs with threads and managed heaps reserve many times what they use. */
  readonly memoryBytes: number | undefined;
  readonly cpuSeconds: number | undefined;
  /** The largest file it may write. */
  readonly fileBytes: number | undefined;
  readonly openFiles: number | undefined;
}

/** What is started, and what it may open. */
interface GuardedProgram {
  readonly file: string;
  /** The working directory, which the program may write to. */
  readonly cwd: string;
  readonly access?: ToolAccess | undefined;
}

const MIB = 1024 * 1024;
export const DEFAULT_TOOL_LIMITS: ToolLimits = {
  memoryBytes: 2048 * MIB,
  cpuSeconds: undefined,
  fileBytes: 1024 * MIB,
  openFiles: 256,
};

const PRLIMIT = '/usr/bin/prlimit';
/** Of the separate user alone, whose processes are counted together: enough for many programs, and an end to a fork bomb. */
const MAX_PROCESSES = 4_096;

/** Our own hard limits: a program can be given less than we have, never more. */
const hardLimits = (): ReadonlyMap<string, number> => {
  const names = new Map([
    ['Max data size', 'data'],
    ['Max cpu time', 'cpu'],
    ['Max file size', 'fsize'],
    ['Max open files', 'nofile'],
    ['Max processes', 'nproc'],
  ]);
  const limits = new Map<string, number>();
  for (const [, label = '', hard] of readLimits().matchAll(/^(Max(?: [a-z]+)+) {2,}\S+ +(\d+)/gm)) {
    const name = names.get(label);
    if (name !== undefined) limits.set(name, Number(hard));
  }
  return limits;
};

const readLimits = (): string => (existsSync('/proc/self/limits') ? readFileSync('/proc/self/limits', 'utf8') : '');

let ownLimits: ReadonlyMap<string, number> | undefined;

const limitArgs = ({ memoryBytes, cpuSeconds, fileBytes, openFiles }: ToolLimits): readonly string[] => {
  ownLimits ??= hardLimits();
  const own = ownLimits;
  const nproc = parserUser() === undefined ? undefined : MAX_PROCESSES;
  const wanted = { data: memoryBytes, cpu: cpuSeconds, fsize: fileBytes, nofile: openFiles, nproc };
  return Object.entries(wanted).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${Math.min(value, own.get(name) ?? Number.POSITIVE_INFINITY)}`],
  );
};

/** What stands between programs and this machine, found out by trying once a process. */
export const toolLayers = (): SandboxLayers => ({ ...sandboxLayers(), resource_limits: existsSync(PRLIMIT) });

/**
 * The words to put before a command line so that it runs within `limits` and in the sandbox of this machine, and is ended by the
 * kernel when the thread that started it is gone, even by SIGKILL. Each word replaces itself by the next (exec).
 */
export const guardPrefix = (limits: ToolLimits, { file, cwd, access = {} }: GuardedProgram): readonly string[] => [
  ...(existsSync(PRLIMIT) ? [PRLIMIT, '--core=0', ...limitArgs(limits), '--'] : []),
  ...sandboxPrefix(file, cwd, access),
];
