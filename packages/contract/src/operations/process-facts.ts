import { z } from 'zod';
import { sandboxLayers } from './health.ts';

/** What each process says of itself in its row of `processes`, beside the columns that every process has. */
export const processFacts = z.object({
  /** Number among its like; 0 for a process that is alone. */
  instance: z.int(),
  /** Where its probes listen, as it was told: maybe 0.0.0.0. */
  probe_host: z.string(),
  /** Since when it has the configuration that its hash stands for. */
  config_since: z.iso.datetime(),
  /** Of an ocr-worker: how many cores it may use, and what it can recognise. */
  cores: z.int().exactOptional(),
  languages: z.array(z.string()).exactOptional(),
  /** Of a process that starts programs that read documents. */
  sandbox: sandboxLayers.exactOptional(),
});
export type ProcessFacts = z.infer<typeof processFacts>;
