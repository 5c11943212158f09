import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PATH = join(import.meta.dirname, 'weights.json');

/** For files that nobody has measured yet, by their folder. */
const DEFAULT_SECONDS: Readonly<Record<string, number>> = { unit: 1, integration: 3, spec: 5, e2e: 20, faults: 15 };

/** What `npm run check` takes. */
const CHECK_SECONDS = 100;

type Weights = Readonly<Record<string, number>>;

const readWeights = (): Weights => JSON.parse(readFileSync(PATH, 'utf8')) as Weights;

const weights = readWeights();

/** What CPU time a file takes, in seconds; a guess for one that was not measured yet. */
export const weightOf = (file: string): number => weights[file] ?? DEFAULT_SECONDS[file.split('/')[1] ?? ''] ?? 1;

/** The files, those that take the most CPU time first, so that none of them is left to run alone at the end. */
const heaviestFirst = (files: readonly string[]): string[] => {
  return files.toSorted((a, b) => weightOf(b) - weightOf(a) || (a < b ? -1 : 1));
};

interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
  /** Whether the first part runs the checks as well. */
  readonly isChecking: boolean;
}

/** The files of one of several parts that take about as long as each other, the heaviest first. Every file is in exactly one part. */
export const shardOf = (files: readonly string[], { index, count, isChecking }: Shard): string[] => {
  const shards = Array.from({ length: count }, (_, n) => ({ seconds: isChecking && n === 0 ? CHECK_SECONDS : 0, files: [] as string[] }));
  for (const file of heaviestFirst(files)) {
    const lightest = shards.reduce((least, shard) => (shard.seconds < least.seconds ? shard : least));
    lightest.files.push(file);
    lightest.seconds += weightOf(file);
  }
  return shards[index - 1]?.files ?? [];
};

/** Records measured CPU seconds; files that are gone are dropped. */
export const saveWeights = (measured: ReadonlyMap<string, number>, files: readonly string[]): void => {
  const after = files.toSorted().flatMap((file) => {
    const seconds = measured.get(file) ?? weights[file];
    return seconds === undefined ? [] : [[file, Math.round(seconds * 10) / 10]];
  });
  writeFileSync(PATH, `${JSON.stringify(Object.fromEntries(after), null, 2)}\n`);
};

/** About how long a run of these files and the checks takes on so many cores. */
export const predictRunSeconds = (files: readonly string[], cores: number): number => {
  return CHECK_SECONDS + files.reduce((sum, file) => sum + weightOf(file), 0) / cores;
};
