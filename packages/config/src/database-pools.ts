export interface PoolSize {
  readonly maxConnections: number;
  readonly minConnections: number;
}

interface Pools {
  readonly database: PoolSize;
  readonly ocr: { readonly workerProcesses: number };
}

const OF_OTHERS = 8;
/** Beside its pool each process has some connections for locks and for listening. */
const BESIDE = 4;
/** api, watcher and sync. */
const SINGLE_PROCESSES = 3;
/** A backup, a migration and bin/sheaf verify, with a person who looks what is going on. */
const TOOLS = 10;

/** The pool of one process of the service. Only the api has many callers at once. */
export const poolSize = (name: string, { database: { maxConnections, minConnections } }: Pools): PoolSize =>
  name === 'api' ? { maxConnections, minConnections } : { maxConnections: Math.min(OF_OTHERS, maxConnections), minConnections: 0 };

/** Connections that all processes together may have open at the same time, with some for the tools. */
export const neededConnections = (config: Pools): number => {
  const processes = SINGLE_PROCESSES + config.ocr.workerProcesses;
  const others = (processes - 1) * poolSize('others', config).maxConnections;
  return poolSize('api', config).maxConnections + others + processes * BESIDE + TOOLS;
};
