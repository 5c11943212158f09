import { statfs } from 'node:fs/promises';
import { lateLibrary } from '@sheaf/process/late-library';
import { noteProgramStart } from './program-starts.ts';
import type { ToolAccess } from './sandbox/access.ts';
import { DEFAULT_TOOL_LIMITS, guardPrefix, type ToolLimits } from './tool-guard.ts';

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
