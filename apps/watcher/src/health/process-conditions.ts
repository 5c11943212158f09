import { makeProblem, problemsOf } from '@sheaf/contract/operations';
import type { ProcessRow } from '@sheaf/db/schema';
import type { Condition } from './condition.ts';

/** A process that was silent for six heartbeats is not there: one that is starting again takes a few seconds. */
const SILENCE_MS = 30_000;
/** What is not right at one look may be right at the next: something is starting, or connects again. */
const WARNING_LOOKS = 2;

const PROCESS = 'process:';

/** What the processes say of themselves, and which are missing. */
export class ProcessConditions {
  readonly #warned = new Map<string, number>();

  /** `rows` are all that are known; `raised` the components of the alerts there are. */
  look(rows: readonly ProcessRow[], raised: ReadonlySet<string>, now: Date): Condition[] {
    const since = new Date(now.getTime() - SILENCE_MS);
    const alive = rows.filter(({ seenAt }) => seenAt >= since);
    return [...missing(rows, alive, raised), ...this.#patient(findings(alive), raised)];
  }

  /** A warning counts when it is there for the second time. */
  #patient(conditions: readonly Condition[], raised: ReadonlySet<string>): Condition[] {
    const seen = new Set(conditions.map(({ component }) => component));
    for (const component of this.#warned.keys()) if (!seen.has(component)) this.#warned.delete(component);
    return conditions.filter(({ component, level }) => {
      const looks = (this.#warned.get(component) ?? 0) + 1;
      this.#warned.set(component, looks);
      return level === 'critical' || looks >= WARNING_LOOKS || raised.has(component);
    });
  }
}

/** A process that ends in good order takes its row along; so one that is silent has died, and is missing until another is there. */
const missing = (rows: readonly ProcessRow[], alive: readonly ProcessRow[], raised: ReadonlySet<string>): Condition[] => {
  const silent = new Set(rows.map(({ name }) => name));
  for (const component of raised) if (component.startsWith(PROCESS)) silent.add(component.slice(PROCESS.length));
  for (const { name } of alive) silent.delete(name);
  return [...silent].map((name) => ({
    component: `${PROCESS}${name}`,
    level: 'critical',
    problems: [makeProblem('process_stopped', { process: name })],
  }));
};

/** The worst that is said of each component, whoever says it. */
const findings = (alive: readonly ProcessRow[]): Condition[] => {
  const conditions = new Map<string, Condition>();
  for (const { components } of alive) {
    for (const [component, health] of Object.entries(components)) {
      const { status } = health;
      if (status === 'healthy' || conditions.get(component)?.level === 'critical') continue;
      const level = status === 'unhealthy' ? 'critical' : 'warning';
      if (level === 'critical' || !conditions.has(component))
        conditions.set(component, { component, level, problems: problemsOf(health, component) });
    }
  }
  return [...conditions.values()];
};
