import { readdirSync, readFileSync } from 'node:fs';
import { processStat } from './process-start.ts';

/** Who started each process of this machine, and the process group it is in, by its pid. */
export type ProcessParents = ReadonlyMap<number, { readonly parent: number; readonly group: number }>;

/** All processes of this machine, from /proc. */
export const listProcesses = (): ProcessParents => {
  const processes = new Map<number, { parent: number; group: number }>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = processStat(Number(name));
    if (stat !== undefined) processes.set(Number(name), { parent: Number(stat[1]), group: Number(stat[2]) });
  }
  return processes;
};

/** A program that this process started, first, with all programs that it started in turn. */
export type ProgramTree = readonly [number, ...number[]];

/** The programs that this process started, also from its threads, each with its descendants. */
export const listPrograms = (): ProgramTree[] => {
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of listProcesses()) children.set(parent, [...(children.get(parent) ?? []), pid]);
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
