import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Values } from './parse.ts';

const MEGABYTE = 1024 * 1024;

/** Of all processes that are no reading programs, at work, with the embedded database. */
const MEMORY_OF_OTHERS_MB = 700;
/** Of one page reader with its tool, at a page of 300 dpi. */
const MEMORY_OF_READER_MB = 300;
/** For the programs of one ocr-worker there is never less: an office alone takes this much for an ordinary document. */
const LEAST_MEMORY_OF_PARSERS_MB = 512;
/** One process alone may have so much of the memory of all in its heap. */
const HEAP_SHARE = 0.5;
/** A process has all these threads from its first use of one on: 512 of them cost each process 13 MB, and no core runs so many. */
const BLOCKING_THREADS_PER_CORE = 4;

const fittingReaders = (limitMb: number): number => Math.max(1, Math.floor((limitMb - MEMORY_OF_OTHERS_MB) / MEMORY_OF_READER_MB));

const parserMemoryMb = (limitMb: number, workers: number): number =>
  Math.max(LEAST_MEMORY_OF_PARSERS_MB, Math.floor((limitMb - MEMORY_OF_OTHERS_MB) / workers));

/** How much of the machine may be used. */
export const resourceConfig = (v: Values) => {
  const cores = v.CPU_CORES ?? availableParallelism();
  return {
    cores,
    /** Of all processes together, with the programs they start. */
    memoryLimitBytes: v.MEMORY_LIMIT_MB * MEGABYTE,
    /** Of the programs that parse documents for one ocr-worker, together. */
    parserMemoryBytes: parserMemoryMb(v.MEMORY_LIMIT_MB, v.OCR_WORKER_PROCESSES) * MEGABYTE,
    /** Largest heap of one process. */
    heapLimitBytes: Math.floor(v.MEMORY_LIMIT_MB * HEAP_SHARE) * MEGABYTE,
    /** Page readers of all ocr-workers together: those that are wanted, as far as they fit into the memory. */
    workerThreads: Math.min(v.WORKER_THREADS ?? cores, fittingReaders(v.MEMORY_LIMIT_MB)),
    /** Threads of one process for what blocks. */
    blockingThreads: Math.min(v.BLOCKING_THREADS, BLOCKING_THREADS_PER_CORE * cores),
    cache: { maxBytes: v.CACHE_SIZE_MB * MEGABYTE, ttlMs: v.CACHE_TTL * 1_000 },
    /** Documents that may wait to be read; undefined is no limit. */
    queueSize: v.OCR_QUEUE_SIZE === 0 ? undefined : v.OCR_QUEUE_SIZE,
  };
};

const absolute = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(path));

/** Never below what it always was: sessions of people and tools come on top. */
const LEAST_CONNECTIONS = 300;

/** What the embedded PostgreSQL may take, so that it is a part of the whole. */
export const embeddedServerConfig = (
  v: Values,
  { cores, memoryLimitBytes }: { readonly cores: number; readonly memoryLimitBytes: number },
) => {
  const needed = neededConnections({
    database: { maxConnections: v.DATABASE_MAX_CONNECTIONS, minConnections: v.DATABASE_MIN_CONNECTIONS },
    ocr: { workerProcesses: v.OCR_WORKER_PROCESSES },
  });
  return {
    memoryBytes: memoryLimitBytes,
    extraParameters: {
      max_connections: String(Math.max(LEAST_CONNECTIONS, needed)),
      max_parallel_workers: String(cores),
    },
  };
};

/** How the connection to the database is secured. Paths are absolute. */
export const databaseTlsConfig = (v: Values) => ({
  mode: v.DATABASE_SSL_MODE,
  certificateFile: absolute(v.DATABASE_SSL_CERT),
  keyFile: absolute(v.DATABASE_SSL_KEY),
  rootCertificateFile: absolute(v.DATABASE_SSL_ROOT_CERT),
});

/** What is told to those who watch the service. `tracing` is undefined while it is off. */
export const telemetryConfig = (v: Values) => ({
  metricsEnabled: v.METRICS_ENABLED,
  /** Empty: all. */
  metricsNetworks: v.METRICS_ALLOWED_NETWORKS ?? [],
  /** Undefined while it is off. */
  exporterPort: v.EXPORTER_ENABLED ? v.EXPORTER_PORT : undefined,
  tracing:
    v.TRACING_ENABLED && v.TRACE_COLLECTOR_ENDPOINT !== undefined
      ? { endpoint: v.TRACE_COLLECTOR_ENDPOINT, sampleRate: v.TRACE_SAMPLE_RATE }
      : undefined,
});

interface PoolSize {
  readonly maxConnections: number;
  readonly minConnections: number;
}

interface Pools {
  readonly database: PoolSize;
  readonly ocr: { readonly workerProcesses: number };
}

const OF_OTHERS = 8;
/** Beside its pool each process has some connections for locks and for listening. */
const EXTRA_CONNECTIONS = 4;
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
  return poolSize('api', config).maxConnections + others + processes * EXTRA_CONNECTIONS + TOOLS;
};
