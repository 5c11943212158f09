import { type ComponentHealth, componentHealth } from '@sheaf/contract/operations';
import { z } from 'zod';
import type { Component } from './component.ts';

/** The part by which a process tells that all of them together take more than MEMORY_LIMIT_MB. */
export const MEMORY_LIMIT = 'memory_limit';
/** The part by which a process reports those that crash repeatedly. */
export const CRASHED_PROCESSES = 'crashed_processes';

/** What a child tells its supervisor over the channel when all its components have started. */
export const supervisionMessage = z.object({
  type: z.literal('ready'),
  /** Where /health, /ready and /metrics of the child answer. */
  probe_host: z.string(),
  probe_port: z.int(),
  /** Lines for the person who starts the service, printed when everything is up. */
  notices: z.array(z.string()),
});
export type SupervisionMessage = z.infer<typeof supervisionMessage>;

/** What the supervisor tells its children over the channel: what only it can see. */
const supervisorWord = z.object({ type: z.enum(['memory', 'crashes']), health: componentHealth });
export type SupervisorWord = z.infer<typeof supervisorWord>;

/** Whether a supervisor started this process, which has told everything about the configuration already. */
export const isSupervised = (): boolean => process.send !== undefined;

/** Tells the supervisor, if there is one, that this process is ready. */
export const reportToSupervisor = (message: SupervisionMessage): void => {
  process.send?.(message);
};

const makeReport = (name: string, type: SupervisorWord['type']): Component => {
  let reported: ComponentHealth = { status: 'healthy' };
  const receive = (message: unknown): void => {
    const word = supervisorWord.safeParse(message);
    if (word.success && word.data.type === type) reported = word.data.health;
  };
  return {
    name,
    start: async () => void process.on('message', receive),
    stop: async () => void process.off('message', receive),
    health: () => reported,
  };
};

/**
 * What the supervisor reports of all processes as parts of this one, so that it reaches health and alerts with the rest; healthy
 * without a supervisor.
 */
export const makeSupervisorReports = (): Component[] => [makeReport(MEMORY_LIMIT, 'memory'), makeReport(CRASHED_PROCESSES, 'crashes')];

/** Whether a part says something of all processes, so that it says nothing of the one that has it. */
export const isSupervisorReport = (name: string): boolean => name === MEMORY_LIMIT || name === CRASHED_PROCESSES;
