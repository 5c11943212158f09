import { readdir, readFile, readlink } from 'node:fs/promises';

interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  readonly folder: string;
}

const factsOf = async (pid: number): Promise<ProcessFacts[]> => {
  try {
    const [stat, command, folder] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
      readlink(`/proc/${pid}/cwd`),
    ]);
    // the name in parentheses may hold anything; the parent is the second field behind it
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return [{ pid, parent, command: command.replaceAll('\0', ' ').trim(), folder }];
  } catch {
    return []; // ended meanwhile, or another user's
  }
};

const listProcesses = async (): Promise<ProcessFacts[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return (await Promise.all(pids.map((pid) => factsOf(Number(pid))))).flat();
};

/** The command lines of the processes that work below a folder. It finds those that have lost their parent too. */
export const commandsBelow = async (folder: string): Promise<string[]> =>
  (await listProcesses()).filter((facts) => facts.folder.startsWith(`${folder}/`)).map(({ command }) => command);

/** A process and all it has started, directly or not. */
export const familyOf = async (pid: number): Promise<number[]> => {
  const all = await listProcesses();
  const family = new Set([pid]);
  for (let before = 0; before !== family.size; ) {
    before = family.size;
    for (const child of all) if (family.has(child.parent)) family.add(child.pid);
  }
  return [...family];
};
