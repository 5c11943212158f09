import { appendFileSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** What one test file took, in seconds. */
export interface FileCost {
  readonly file: string;
  /** CPU time of the process of the file itself. */
  readonly self: number;
  /** CPU time of all processes that it started and that have ended. The cluster of the run is not among them. */
  readonly children: number;
  readonly wall: number;
}

const SHOWN = 40;

const column = (seconds: number): string => seconds.toFixed(1).padStart(9);

const TICKS_PER_SECOND = 100;

/** CPU time so far of the children of this process that have ended, in seconds. */
const childSeconds = (): number => {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // the name in parentheses may hold anything; cutime and cstime are the 14th and 15th fields behind it
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number);
  return (user + system) / TICKS_PER_SECOND;
};

/** Begins to count what `file` costs; at the end the costs are written down, where the run wants a profile. */
export const noteCost = (file: string): { end: () => void } => {
  const path = process.env['SHEAF_TEST_PROFILE'];
  if (path === undefined) return { end: () => {} };
  const started = performance.now();
  const before = process.cpuUsage();
  const childrenBefore = childSeconds();
  return {
    end: () => {
      const { user, system } = process.cpuUsage(before);
      const cost: FileCost = {
        file,
        self: (user + system) / 1_000_000,
        children: childSeconds() - childrenBefore,
        wall: (performance.now() - started) / 1000,
      };
      appendFileSync(path, `${JSON.stringify(cost)}\n`);
    },
  };
};

/** What `noteCost` wrote to `path`, the most expensive file first. */
export const readProfile = async (path: string): Promise<FileCost[]> => {
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as FileCost).toSorted((a, b) => b.self + b.children - (a.self + a.children));
};

/** A table for people: the sum for each folder, then the most expensive files. */
export const describeProfile = (costs: readonly FileCost[]): string => {
  const folders = new Map<string, number>();
  let total = 0;
  for (const { file, self, children } of costs) {
    const folder = file
      .split('/')
      .slice(0, 3)
      .join('/')
      .replace(/\/[^/]+\.test\.ts$/, '');
    folders.set(folder, (folders.get(folder) ?? 0) + self + children);
    total += self + children;
  }
  return [
    '      CPU s  folder',
    ...[...folders].toSorted(([, a], [, b]) => b - a).map(([folder, seconds]) => `  ${column(seconds)}  ${folder}`),
    `  ${column(total)}  all ${costs.length} files`,
    '',
    '      CPU s   of which it itself   wall s  file',
    ...costs
      .slice(0, SHOWN)
      .map(({ file, self, children, wall }) => `  ${column(self + children)}            ${column(self)}${column(wall)}  ${file}`),
    '',
  ].join('\n');
};
