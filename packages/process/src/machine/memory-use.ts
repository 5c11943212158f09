import { readFileSync } from 'node:fs';
import { ProcessLooks, type ProcessParents } from './process-trees.ts';

/** Bytes that are in memory for each name. */
export type MemoryUse = ReadonlyMap<string, number>;

export const totalOf = (use: MemoryUse): number => [...use.values()].reduce((total, bytes) => total + bytes, 0);

const KILOBYTE = 1024;

const readProc = (pid: number, file: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined; // the process ended, or belongs to somebody else
  }
};

const readKilobytes = (text: string | undefined, field: RegExp): number | undefined => {
  const kilobytes = field.exec(text ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * KILOBYTE;
};

/** Bytes that a process has in memory, with pages that others have as well; 0 when it is gone. */
export const residentBytes = (pid: number): number => readKilobytes(readProc(pid, 'status'), /^VmRSS:\s+(\d+) kB/m) ?? 0;

/**
 * The same, but pages that it shares with others count by its share of them: all processes of Node have the same program, and all of
 * PostgreSQL the same buffers. Takes the kernel some milliseconds for a large process.
 */
export const sharedBytes = (pid: number): number => readKilobytes(readProc(pid, 'smaps_rollup'), /^Pss:\s+(\d+) kB/m) ?? residentBytes(pid);

/**
 * What each process in `roots` uses together with all that it has started. A program whose starter is gone counts for the root whose
 * process group it is in. What belongs to no root is left out. Shared pages are counted once only where the rough sum is above
 * `limitBytes`.
 */
export const readMemoryUse = (roots: ReadonlyMap<number, string>, limitBytes: number, looks = new ProcessLooks()): MemoryUse => {
  const processes = looks.look((pid, all) => rootOf(pid, roots, all) !== undefined);
  const ours = [...processes.keys()].flatMap((pid) => {
    const name = rootOf(pid, roots, processes);
    return name === undefined ? [] : [{ pid, name }];
  });
  const addUp = (memoryOf: (pid: number) => number): Map<string, number> => {
    const use = new Map([...roots.values()].map((name) => [name, 0]));
    for (const { pid, name } of ours) use.set(name, (use.get(name) ?? 0) + memoryOf(pid));
    return use;
  };
  const roughly = addUp(residentBytes);
  return totalOf(roughly) <= limitBytes ? roughly : addUp(sharedBytes);
};

const MAX_DEPTH = 50;

const rootOf = (pid: number, roots: ReadonlyMap<number, string>, processes: ProcessParents): string | undefined => {
  for (let at = pid, depth = 0; at > 1 && depth < MAX_DEPTH; depth += 1) {
    const root = roots.get(at);
    if (root !== undefined) return root;
    at = processes.get(at)?.parent ?? 0;
  }
  return roots.get(processes.get(pid)?.group ?? 0);
};
