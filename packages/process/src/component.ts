import type { ComponentHealth } from '@sheaf/contract/operations';

/**
 * A part of a process with a life of its own. `start` resolves when the part is ready, `stop` when it is drained;
 * both may be called twice. `health` says what is wrong at the moment, cheaply: probes call it.
 */
export interface Component {
  readonly name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  health?(): ComponentHealth;
}
