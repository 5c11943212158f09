import { existsSync, readFileSync } from 'node:fs';
import type { SandboxLayers } from '@sheaf/contract/operations';
import type { ToolAccess } from './sandbox/access.ts';
import { parserUser, sandboxLayers, sandboxPrefix } from './sandbox/sandbox.ts';

/** What a program that reads a stranger's document may use. `undefined` leaves the matter to the system. */
export interface ToolLimits {
  /** Memory it may write to. Not address space: programs with threads and managed heaps reserve many times what they use. */
  readonly memoryBytes: number | undefined;
  readonly cpuSeconds: number | undefined;
  /** The largest file it may write. */
  readonly fileBytes: number | undefined;
  readonly openFiles: number | undefined;
}

/** What is started, and what it may open. */
export interface GuardedProgram {
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
