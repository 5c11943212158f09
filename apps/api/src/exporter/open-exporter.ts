import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import type { Db } from '@sheaf/db';
import { type Clock, type Component, type Logger, PlainServer, type Registry, shareAnswer, within } from '@sheaf/process';
import { METRICS_AS_JSON, mergeMetrics, type ProcessLabels, type ProcessMetrics, readMetrics, renderMetrics } from '@sheaf/process/metrics';
import { nodeHttp } from '@sheaf/process/node-http';
import { listProcesses, type ProgramContext } from '@sheaf/program';
import { type KnownProcess, sortProcesses } from '../health/process-rows.ts';

/** The exporter, where EXPORTER_ENABLED wants one. */
export const openExporter = ({
  config,
  database,
  registry,
  clock,
  log,
}: Pick<ProgramContext, 'config' | 'database' | 'registry' | 'clock' | 'log'>): Exporter[] => {
  const { exporterPort } = config.telemetry;
  if (exporterPort === undefined) return [];
  const { host, supervisorPort } = config.probes;
  const path = config.server.metricsPath;
  const gatherer = new MetricsGatherer({
    db: database.db,
    clock,
    registry,
    processName: 'api',
    path,
    supervisor: supervisorPort === undefined ? undefined : { host, port: supervisorPort },
  });
  return [new Exporter({ host, port: exporterPort, path, log, contentType: registry.contentType, gather: () => gatherer.gather() })];
};

interface ExporterSettings {
  /** PROBE_HOST. */
  readonly host: string;
  /** EXPORTER_PORT; 0 takes a free one. */
  readonly port: number;
  /** METRICS_PATH. */
  readonly path: string;
  readonly log: Logger;
  readonly contentType: string;
  /** The metrics of all processes. */
  readonly gather: () => Promise<string>;
}

/** However many scrape, the processes are asked once in this time. */
const MAX_AGE_MS = 1_000;

const LISTENER = { what: 'the exporter', hostVariable: 'PROBE_HOST', portVariable: 'EXPORTER_PORT' };

/**
 * The metrics of all processes on one port. The api is its home: it is there in every way of running the service, with a supervisor
 * and without, and it knows the database, in which the processes are listed.
 */
export class Exporter implements Component {
  readonly name = 'exporter';
  readonly #settings: ExporterSettings;
  readonly #server: PlainServer;
  readonly #gather: () => Promise<string>;

  constructor(settings: ExporterSettings) {
    this.#settings = settings;
    this.#gather = shareAnswer(settings.gather, MAX_AGE_MS);
    this.#server = new PlainServer(
      LISTENER,
      (request, response) => this.#answer(request, response),
      (error) => settings.log.error({ err: error }, 'metrics collection failed'),
    );
  }

  /** The port in use; 0 before `start`. */
  get port(): number {
    return this.#server.port;
  }

  /** Throws FatalError when the port cannot be had: a scraper would find nobody, or somebody else, on another one. */
  async start(): Promise<void> {
    const { host, port, log } = this.#settings;
    await this.#server.listen(host, port);
    log.info({ host, port: this.port }, 'metrics exporter listening');
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, contentType } = this.#settings;
    if (request.method !== 'GET' || request.url?.split('?')[0] !== path) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end(`Metrics: GET ${path}\n`);
      return;
    }
    const text = await this.#gather();
    response.writeHead(200, { 'content-type': contentType }).end(text);
  }
}

interface GatherDeps {
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

/** The metric that says whether the metrics of a process were collected. */
const upOf = (value: 0 | 1): ProcessMetrics[number] => ({
  name: 'sheaf_process_up',
  help: 'Whether the metrics of the process were collected within a second',
  type: 'gauge',
  values: [{ value, labels: {} }],
});

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
    const own = renderMetrics(registry, METRICS_AS_JSON);
    await this.#refreshRows();
    const targets = targetsOf(this.#rows, supervisor);
    const answers = await Promise.all(targets.map(async (target) => ({ target, metrics: await askTarget(target, path) })));
    const mine = { labels: { process: processName }, metrics: readMetrics((await own).body) };
    return mergeMetrics(
      [mine, ...labelApart(answers, nameOf(mine.labels))].map(({ labels, metrics }) => ({
        labels,
        metrics: metrics === undefined ? [upOf(0)] : [...metrics, upOf(1)],
      })),
    );
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
  readonly metrics: ProcessMetrics | undefined;
}

/** What became of one process, under labels that no other has. */
interface CollectedProcess {
  readonly labels: ProcessLabels;
  readonly metrics: ProcessMetrics | undefined;
}

/**
 * Those that answered, then one without metrics for each that none answered for: a process that was started anew leaves a row behind.
 * Workers that were not numbered apart are told apart by their ports.
 */
const labelApart = (answers: readonly Answer[], first: string): CollectedProcess[] => {
  const taken = new Set([first]);
  const collected: CollectedProcess[] = [];
  const take = (labels: ProcessLabels, metrics: ProcessMetrics | undefined): void => {
    taken.add(nameOf(labels));
    collected.push({ labels, metrics });
  };
  for (const { target, metrics } of answers) {
    const plain = labelsOf(target);
    if (metrics === undefined) continue;
    take(taken.has(nameOf(plain)) ? { ...plain, instance: `${target.instance ?? 0}:${target.address?.port ?? 0}` } : plain, metrics);
  }
  for (const { target } of answers) if (!taken.has(nameOf(labelsOf(target)))) take(labelsOf(target), undefined);
  return collected;
};

/** A process that takes longer is reported as down. */
const LIMIT_MS = 1_000;
/** Some six times what the api has to say. */
const MAX_BYTES = 2 * 1024 * 1024;

const readText = async (response: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined; // leaving the loop ends the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const request = (host: string, port: number, path: string, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    nodeHttp.get({ host, port, path, headers: { accept: METRICS_AS_JSON }, agent: false, signal }, resolve).once('error', reject);
  });

/** Whether it is the process that was meant: its port may have become somebody else's. */
const isFrom = (metrics: ProcessMetrics, { process, instance }: Target): boolean => {
  const labels = metrics.find(({ name }) => name === 'sheaf_build_info')?.values[0]?.labels;
  return labels?.['process'] === process && (instance === undefined || labels['instance'] === String(instance));
};

/** The metrics of a process as it tells them; undefined when it does not answer in time, or somebody else does. */
const askTarget = async (target: Target, path: string): Promise<ProcessMetrics | undefined> => {
  const { address } = target;
  if (address === undefined) return undefined;
  try {
    const response = await request(address.host, address.port, path, AbortSignal.timeout(LIMIT_MS));
    if (response.statusCode !== 200) {
      response.destroy();
      return undefined;
    }
    const text = await readText(response);
    const metrics = text === undefined ? undefined : readMetrics(text);
    return metrics !== undefined && isFrom(metrics, target) ? metrics : undefined;
  } catch {
    return undefined; // whatever the reason, it is down, and a metric says so
  }
};

/** A process whose metrics are asked for. */
interface Target {
  readonly process: string;
  /** Number among its like; undefined for a program of which one runs. */
  readonly instance: number | undefined;
  /** Undefined: it cannot be reached from here. */
  readonly address: { readonly host: string; readonly port: number } | undefined;
}

const ANY = new Set(['0.0.0.0', '::', '']);
const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

/** An address to bind to as one of this machine to connect to. */
const toConnect = (host: string): string => (host === '::' ? '::1' : ANY.has(host) ? '127.0.0.1' : host);

const hostOf = ({ host, probeHost }: KnownProcess): string | undefined => {
  if (host === hostname()) return toConnect(probeHost);
  if (ANY.has(probeHost)) return host;
  return isLoopback(probeHost) ? undefined : probeHost;
};

const toTarget = (row: KnownProcess): Target => {
  const host = hostOf(row);
  return {
    process: row.name,
    instance: row.name === 'ocr-worker' ? row.instance : undefined,
    address: host === undefined || row.probePort === null ? undefined : { host, port: row.probePort },
  };
};

const isThisProcess = ({ pid, host }: KnownProcess): boolean => pid === process.pid && host === hostname();

/** How many processes are asked at most: memory and connections have an end, whatever the table holds. */
const MAX_TARGETS = 64;

/** Whom to ask beside this process, the newest first. Of two rows with one address the older is of a process that went, so nobody is asked. */
const targetsOf = (rows: readonly KnownProcess[], supervisor: Target['address']): Target[] => {
  const targets = rows.filter((row) => !isThisProcess(row)).map(toTarget);
  if (supervisor !== undefined)
    targets.unshift({ process: 'supervisor', instance: undefined, address: { ...supervisor, host: toConnect(supervisor.host) } });
  const seen = new Set<string>();
  return targets.slice(0, MAX_TARGETS).map((target) => {
    const name = `${target.address?.host} ${target.address?.port}`;
    if (seen.has(name)) return { ...target, address: undefined };
    seen.add(name);
    return target;
  });
};
