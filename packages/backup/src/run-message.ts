import { z } from 'zod';

const count = z.int().min(0);

/** How far a run has come in its phase. */
const runProgress = z.object({
  type: z.literal('progress'),
  phase: z.string(),
  files: count,
  bytes: count,
  totalFiles: count.nullable(),
  totalBytes: count.nullable(),
});
export type RunProgress = Omit<z.infer<typeof runProgress>, 'type'>;

/** What the command line tool tells the process that has started it. How it failed is on its standard error. */
export const runMessage = z.discriminatedUnion('type', [
  runProgress,
  z.object({ type: z.literal('backed_up'), name: z.string() }),
  z.object({
    type: z.literal('verified'),
    differences: count,
    /** The first of them. */
    first: z.string().nullable(),
  }),
]);
export type RunMessage = z.infer<typeof runMessage>;
