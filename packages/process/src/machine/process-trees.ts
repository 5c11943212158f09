import { readdirSync, readFileSync } from 'node:fs';

/** Fields of /proc/<pid>/stat from the third (state) on, or undefined when there is no such process. */
export const processStat = (pid: number): readonly string[] | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the second field, a name, may hold blanks and brackets
  } catch {
    return undefined;
  }
};

/** When the process began, in ticks since boot: with the pid it names a process for good, as pids come again. */
export const processStart = (pid: number): string | undefined => processStat(pid)?.[19];

/** Who started each process of this machine, and the process group it is in, by its pid. */
export type ProcessParents = ReadonlyMap<number, { readonly parent: number; readonly group: number }>;

/** So long it is remembered which processes are strangers: their numbers come again, but not so soon. */
const REMEMBER_MS = 30_000;

/**
 * Looks again and again for the processes that are ours. Most of a machine are strangers, and stay that: they are asked only once in a while
 * who started them, because to ask each every time takes most of what a service at rest takes.
 */
export class ProcessLooks {
  #strangers: ReadonlySet<number> = new Set();
  #rememberUntilMs = Number.NEGATIVE_INFINITY;

  /** The processes that `isOurs` says are ours; it is given them with all others that are no known strangers. */
  look(isOurs: (pid: number, processes: ProcessParents) => boolean): ProcessParents {
    if (performance.now() >= this.#rememberUntilMs) {
      this.#strangers = new Set();
      this.#rememberUntilMs = performance.now() + REMEMBER_MS;
    }
    const strangers = new Set<number>();
    const processes = new Map<number, { parent: number; group: number }>();
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const pid = Number(name);
      const stat = this.#strangers.has(pid) ? undefined : processStat(pid);
      if (stat === undefined) strangers.add(pid);
      else processes.set(pid, { parent: Number(stat[1]), group: Number(stat[2]) });
    }
    const ours = new Map([...processes].filter(([pid]) => isOurs(pid, processes)));
    for (const pid of processes.keys()) if (!ours.has(pid)) strangers.add(pid);
    this.#strangers = strangers;
    return ours;
  }
}

/** A program that this process started, first, with all programs that it started in turn. */
export type ProgramTree = readonly [number, ...number[]];

const MAX_DEPTH = 50;
const looks = new ProcessLooks();

const isOfThisProcess = (pid: number, processes: ProcessParents): boolean => {
  for (let [at, depth]: [number | undefined, number] = [pid, 0]; at !== undefined && depth < MAX_DEPTH; depth += 1) {
    if (at === process.pid) return true;
    at = processes.get(at)?.parent;
  }
  return false;
};

/** The programs that this process started, also from its threads, each with its descendants. */
export const listPrograms = (): ProgramTree[] => {
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of looks.look(isOfThisProcess)) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const below = (pid: number): number[] => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return (children.get(process.pid) ?? []).map((pid) => [pid, ...below(pid)]);
};

/** The command line of a process; empty when it is gone. */
export const commandLineOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
};

/** Ends a program and all that it started, at once. */
export const killProgram = (tree: ProgramTree): void => {
  for (const pid of tree) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // gone meanwhile, or it runs as somebody whom only its starter may end, which is the first of the tree
      if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
};
