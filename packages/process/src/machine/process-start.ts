import { readFileSync } from 'node:fs';

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
