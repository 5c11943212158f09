import { readFile } from 'node:fs/promises';

export interface ProcessMemory {
  readonly pid: number;
  readonly name: string;
  readonly bytes: number;
  /** Of these: its own, that of programs and libraries, and what the processes of PostgreSQL share. */
  readonly anonymousBytes: number;
  readonly fileBytes: number;
  readonly sharedBytes: number;
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
        const bytesOf = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(facts)?.[1] ?? 0) * 1024;
        const kinds = { anonymousBytes: bytesOf('Pss_Anon'), fileBytes: bytesOf('Pss_File'), sharedBytes: bytesOf('Pss_Shmem') };
        return [{ pid, name: nameOf(command), bytes: bytesOf('Pss'), ...kinds }];
      } catch {
        return [];
      }
    }),
  );
  return all.flat();
};
