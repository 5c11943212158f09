import type { Db } from '@sheaf/db';
import { type Clock, type Registry, within } from '@sheaf/process';
import { listProcesses } from '@sheaf/program';
import { type KnownProcess, sortProcesses } from '../health/process-rows.ts';
import { askTarget } from './ask-target.ts';
import { MergedMetrics, NotMetrics, type ProcessLabels } from './metrics-text.ts';
import { type Target, targetsOf } from './targets.ts';

export interface GatherDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Of this process. */
  readonly registry: Registry;
  readonly processName: string;
  /** METRICS_PATH, of all processes. */
  readonly path: string;
  readonly supervisor: Target['address'];
}

/** Rows of processes that went are taken away after an hour. */
const ROW_AGE_MS = 3_600_000;
/** The list of processes is in the database; while that does not answer, the last one is good. */
const LIST_LIMIT_MS = 1_000;

const UP = ['sheaf_process_up', 'Whether the metrics of the process were collected within a second'] as const;

/** Gathers the metrics of all processes, this one included, into one text. */
export class MetricsGatherer {
  readonly #deps: GatherDeps;
  #rows: readonly KnownProcess[] = [];
  #listing: Promise<void> | undefined;

  constructor(deps: GatherDeps) {
    this.#deps = deps;
  }

  async gather(): Promise<string> {
    const { registry, processName, path, supervisor } = this.#deps;
    const own = registry.metrics();
    await this.#refreshRows();
    const targets = targetsOf(this.#rows, supervisor);
    const answers = await Promise.all(targets.map(async (target) => ({ target, text: await askTarget(target, path) })));
    const merged = new MergedMetrics();
    const labels = { process: processName };
    merged.add(await own, labels);
    merged.set(...UP, labels, 1);
    addAnswers(merged, answers, new Set([nameOf(labels)]));
    return merged.toString();
  }

  async #refreshRows(): Promise<void> {
    const { db, clock } = this.#deps;
    const list = async (): Promise<void> => {
      const now = clock.now();
      const { running, silent } = sortProcesses(await listProcesses(db, new Date(now.getTime() - ROW_AGE_MS)), now);
      this.#rows = [...running, ...silent];
    };
    this.#listing ??= list()
      .catch(() => {}) // the health of the service tells of it
      .finally(() => (this.#listing = undefined));
    await within(this.#listing, LIST_LIMIT_MS);
  }
}

const nameOf = ({ process, instance }: ProcessLabels): string => `${process} ${instance ?? ''}`;

const labelsOf = ({ process, instance }: Target): ProcessLabels =>
  instance === undefined ? { process } : { process, instance: String(instance) };

interface Answer {
  readonly target: Target;
  readonly text: string | undefined;
}

/**
 * Adds those that answered, then one `up 0` for each that none answered for: a process that was started anew leaves a row behind.
 * Workers that were not numbered apart are told apart by their ports.
 */
const addAnswers = (merged: MergedMetrics, answers: readonly Answer[], taken: Set<string>): void => {
  for (const { target, text } of answers) {
    if (text === undefined) continue;
    const plain = labelsOf(target);
    const labels = taken.has(nameOf(plain)) ? { ...plain, instance: `${target.instance ?? 0}:${target.address?.port ?? 0}` } : plain;
    try {
      merged.add(text, labels);
    } catch (error) {
      if (!(error instanceof NotMetrics)) throw error;
      continue; // what it says cannot be understood, which is no better than silence
    }
    taken.add(nameOf(labels));
    merged.set(...UP, labels, 1);
  }
  for (const { target } of answers) {
    const labels = labelsOf(target);
    if (taken.has(nameOf(labels))) continue;
    taken.add(nameOf(labels));
    merged.set(...UP, labels, 0);
  }
};
