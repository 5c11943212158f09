import { readdir, readFile } from 'node:fs/promises';

/** What the processes of a service have used so far, in milliseconds, by the name of the app; `helpers of` are the programs that an app started. */
export type ProcessCpu = ReadonlyMap<string, number>;

const MS_A_TICK = 10;

interface Facts {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  readonly ownMs: number;
  /** Of children that have ended, and of theirs. */
  readonly endedMs: number;
}

const factsOf = async (pid: number): Promise<Facts[]> => {
  try {
    const [stat, command] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile(`/proc/${pid}/cmdline`, 'utf8')]);
    // the name in parentheses may hold anything
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number);
    const parent = Number(fields[1]);
    return [{ pid, parent, command, ownMs: (user + system) * MS_A_TICK, endedMs: (childUser + childSystem) * MS_A_TICK }];
  } catch {
    return []; // ended meanwhile
  }
};

const appOf = (command: string): string | undefined => /apps\/([\w-]+)\/src\/main\.ts/.exec(command)?.[1];
const isPostgres = (command: string): boolean => /(?:^|\/)postgres(?:\0|:|$)/.test(command);

/** Of a process and all that it started, directly or not. */
export const cpuOf = async (root: number): Promise<ProcessCpu> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(pids.map((pid) => factsOf(Number(pid))))).flat();
  const used = new Map<string, number>();
  const add = (name: string, ms: number): void => void used.set(name, (used.get(name) ?? 0) + ms);
  const visit = ({ pid, command, ownMs, endedMs }: Facts, above: string): void => {
    const app = appOf(command);
    const name =
      app ?? (isPostgres(command) ? 'PostgreSQL' : above === 'PostgreSQL' ? above : `helpers of ${above.replace('helpers of ', '')}`);
    const isService = app !== undefined || above === '';
    add(isService ? (app ?? 'supervisor') : name, ownMs);
    const below = isService ? (app ?? 'supervisor') : name;
    // what an app started and has ended is no work of its own
    add(name === 'PostgreSQL' ? name : below.startsWith('helpers of ') ? below : `helpers of ${below}`, endedMs);
    for (const child of all) if (child.parent === pid) visit(child, below);
  };
  const first = all.find(({ pid }) => pid === root);
  if (first !== undefined) visit(first, '');
  return used;
};

/** What was used between two looks, the most first. */
export const cpuBetween = (before: ProcessCpu, after: ProcessCpu): readonly (readonly [string, number])[] =>
  [...after]
    .map(([name, ms]) => [name, Math.max(0, ms - (before.get(name) ?? 0))] as const)
    .filter(([, ms]) => ms > 0)
    .toSorted(([, a], [, b]) => b - a);
