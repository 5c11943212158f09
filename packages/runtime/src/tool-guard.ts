import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** What a program that reads a stranger's document may use. `undefined` leaves the matter to the system. */
export interface ToolLimits {
  /** Memory it may write to. Not address space: programs with threads and managed heaps reserve many times what they use. */
  readonly memoryBytes: number | undefined;
  readonly cpuSeconds: number | undefined;
  /** The largest file it may write. */
  readonly fileBytes: number | undefined;
  readonly openFiles: number | undefined;
  /** False gives the program an empty network of its own, where the kernel lets us. */
  readonly network: boolean;
}

const MIB = 1024 * 1024;
export const DEFAULT_TOOL_LIMITS: ToolLimits = {
  memoryBytes: 2048 * MIB,
  cpuSeconds: undefined,
  fileBytes: 1024 * MIB,
  openFiles: 256,
  network: false,
};

const SETPRIV = '/usr/bin/setpriv';
const PRLIMIT = '/usr/bin/prlimit';
const UNSHARE = '/usr/bin/unshare';

let networkCut: readonly string[] | undefined;

/** Root may make an empty network at once, another user needs a user namespace for it, and some kernels refuse both. */
const networkCutPrefix = (): readonly string[] => {
  networkCut ??= [
    [UNSHARE, '--net'],
    [UNSHARE, '--map-current-user', '--net'],
  ].find(([file, ...args]) => file !== undefined && existsSync(file) && spawnSync(file, [...args, '--', '/bin/true']).status === 0);
  networkCut ??= [];
  return networkCut.length === 0 ? [] : [...networkCut, '--'];
};

/** True when programs really run without a network here. */
export const canCutNetwork = (): boolean => networkCutPrefix().length > 0;

/** Our own hard limits: a program can be given less than we have, never more. */
const hardLimits = (): ReadonlyMap<string, number> => {
  const names = new Map([
    ['Max data size', 'data'],
    ['Max cpu time', 'cpu'],
    ['Max file size', 'fsize'],
    ['Max open files', 'nofile'],
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
  const wanted = { data: memoryBytes, cpu: cpuSeconds, fsize: fileBytes, nofile: openFiles };
  return Object.entries(wanted).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${Math.min(value, own.get(name) ?? Number.POSITIVE_INFINITY)}`],
  );
};

/**
 * The words to put before a command line so that it runs within `limits` and is ended by the kernel when the process that
 * started it is gone, even by SIGKILL. Each word replaces itself by the next (exec), so the process id stays the program's.
 */
export const guardPrefix = (limits: ToolLimits): readonly string[] => [
  ...(limits.network ? [] : networkCutPrefix()),
  ...(existsSync(PRLIMIT) ? [PRLIMIT, '--core=0', ...limitArgs(limits), '--'] : []),
  // Last, because a change of user namespace makes the kernel forget the wish to die with the parent.
  ...(existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', '--'] : []),
];
