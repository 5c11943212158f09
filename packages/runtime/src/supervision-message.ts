import { type ComponentHealth, componentHealth } from '@sheaf/contract';
import { z } from 'zod';
import type { Component } from './component.ts';

/** The part by which a process tells that all of them together take more than MEMORY_LIMIT_MB. */
export const MEMORY_LIMIT = 'memory_limit';

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
const supervisorWord = z.object({ type: z.literal('memory'), health: componentHealth });
export type SupervisorWord = z.infer<typeof supervisorWord>;

/** Whether a supervisor started this process, which has told everything about the configuration already. */
export const isSupervised = (): boolean => process.send !== undefined;

/** Tells the supervisor, if there is one, that this process is ready. */
export const tellSupervisor = (message: SupervisionMessage): void => {
  process.send?.(message);
};

/** The memory of all processes together as a part of this one, so that it is told with the rest of the health; healthy without a supervisor. */
export const hearOfMemory = (): Component => {
  let told: ComponentHealth = { status: 'healthy' };
  const hear = (message: unknown): void => {
    const word = supervisorWord.safeParse(message);
    if (word.success) told = word.data.health;
  };
  return {
    name: MEMORY_LIMIT,
    start: async () => void process.on('message', hear),
    stop: async () => void process.off('message', hear),
    health: () => told,
  };
};
