import { z } from 'zod';

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

/** Whether a supervisor started this process, which has told everything about the configuration already. */
export const isSupervised = (): boolean => process.send !== undefined;

/** Tells the supervisor, if there is one, that this process is ready. */
export const tellSupervisor = (message: SupervisionMessage): void => {
  process.send?.(message);
};
