import { readFile } from 'node:fs/promises';

export interface ProcessMemory {
  readonly pid: number;
  readonly name: string;
  readonly bytes: number;
}

/** The program and its script, without flags and paths. */
const nameOf = (command: string): string => {
  const words = command.split('\0').filter((word) => word !== '' && !word.startsWith('-'));
  const script = words.find((word) => /\.(?:ts|sh)$/.test(word));
  const [, app] = /apps\/([\w-]+)\//.exec(script ?? '') ?? [];
  return app ?? (script ?? words[0] ?? '').split('/').at(-1)?.split(' ')[0]?.replace(/:$/, '') ?? '';
};

/** The proportional set size of each process: pages that several share are counted once in the sum. Those that ended are left out. */
export const memoryOf = async (pids: readonly number[]): Promise<ProcessMemory[]> => {
  const all = await Promise.all(
    pids.map(async (pid) => {
      try {
        const [facts, command] = await Promise.all([
          readFile(`/proc/${pid}/smaps_rollup`, 'utf8'),
          readFile(`/proc/${pid}/cmdline`, 'utf8'),
        ]);
        return [{ pid, name: nameOf(command), bytes: Number(/^Pss:\s+(\d+) kB/m.exec(facts)?.[1] ?? 0) * 1024 }];
      } catch {
        return [];
      }
    }),
  );
  return all.flat();
};
