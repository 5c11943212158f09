import { readdirSync, readFileSync } from 'node:fs';
import { processStat } from '@sheaf/runtime';

/** Bytes that are in memory for each name. */
export type MemoryUse = ReadonlyMap<string, number>;

export const totalOf = (use: MemoryUse): number => [...use.values()].reduce((total, bytes) => total + bytes, 0);

const KILOBYTE = 1024;

const listPids = (): number[] => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));

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

/** What this process has in memory, with pages that others have as well. */
const residentOf = (pid: number): number => readKilobytes(readProc(pid, 'status'), /^VmRSS:\s+(\d+) kB/m) ?? 0;

/**
 * The same, but pages that it shares with others count by its share of them: all processes of Node have the same program, and all of
 * PostgreSQL the same buffers. Takes the kernel some milliseconds for a large process.
 */
const shareOf = (pid: number): number => readKilobytes(readProc(pid, 'smaps_rollup'), /^Pss:\s+(\d+) kB/m) ?? residentOf(pid);

/**
 * What each process in `roots` uses together with all that it has started. A program whose starter is gone counts for the root whose
 * process group it is in. What belongs to no root is left out. Shared pages are counted once only where the rough sum is above
 * `limitBytes`.
 */
export const readMemoryUse = (roots: ReadonlyMap<number, string>, limitBytes: number): MemoryUse => {
  const stats = new Map(listPids().map((pid) => [pid, processStat(pid)] as const));
  const rootOf = (pid: number): string | undefined => {
    for (let at = pid, depth = 0; at > 1 && depth < 50; depth += 1) {
      const root = roots.get(at);
      if (root !== undefined) return root;
      at = Number(stats.get(at)?.[1] ?? 0);
    }
    return roots.get(Number(stats.get(pid)?.[2]));
  };
  const ours = [...stats.keys()].flatMap((pid) => {
    const name = rootOf(pid);
    return name === undefined ? [] : [{ pid, name }];
  });
  const addUp = (memoryOf: (pid: number) => number): Map<string, number> => {
    const use = new Map([...roots.values()].map((name) => [name, 0]));
    for (const { pid, name } of ours) use.set(name, (use.get(name) ?? 0) + memoryOf(pid));
    return use;
  };
  const roughly = addUp(residentOf);
  return totalOf(roughly) <= limitBytes ? roughly : addUp(shareOf);
};
