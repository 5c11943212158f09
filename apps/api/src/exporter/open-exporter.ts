import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import type { Db } from '@sheaf/db';
import { type Clock, type Component, type Logger, PlainServer, type Registry, shareAnswer, within } from '@sheaf/process';
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

const UP = ['sheaf_process_up', 'Whether the metrics of the process were collected within a second'] as const;

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
    const own = registry.metrics();
    await this.#refreshRows();
    const targets = targetsOf(this.#rows, supervisor);
    const answers = await Promise.all(targets.map(async (target) => ({ target, text: await askTarget(target, path) })));
    const merged = new MergedMetrics();
    const labels = { process: processName };
    merged.add(await own, labels);
    merged.set(...UP, labels, 1);
    addAnswers(merged, answers, new Set([nameOf(labels)]));
    return merged.toString();
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
  readonly text: string | undefined;
}

/**
 * Adds those that answered, then one `up 0` for each that none answered for: a process that was started anew leaves a row behind.
 * Workers that were not numbered apart are told apart by their ports.
 */
const addAnswers = (merged: MergedMetrics, answers: readonly Answer[], taken: Set<string>): void => {
  for (const { target, text } of answers) {
    if (text === undefined) continue;
    const plain = labelsOf(target);
    const labels = taken.has(nameOf(plain)) ? { ...plain, instance: `${target.instance ?? 0}:${target.address?.port ?? 0}` } : plain;
    try {
      merged.add(text, labels);
    } catch (error) {
      if (!(error instanceof NotMetrics)) throw error;
      continue; // what it says cannot be understood, which is no better than silence
    }
    taken.add(nameOf(labels));
    merged.set(...UP, labels, 1);
  }
  for (const { target } of answers) {
    const labels = labelsOf(target);
    if (taken.has(nameOf(labels))) continue;
    taken.add(nameOf(labels));
    merged.set(...UP, labels, 0);
  }
};

/** A process that takes longer is reported as down. */
const LIMIT_MS = 1_000;
/** Some ten times what a process has to say. */
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
    nodeHttp.get({ host, port, path, agent: false, signal }, resolve).once('error', reject);
  });

/** Whether it is the process that was meant: its port may have become somebody else's. */
const isFrom = (text: string, { process, instance }: Target): boolean => {
  const line = /^sheaf_build_info\{.*$/m.exec(text)?.[0] ?? '';
  return line.includes(`process="${process}"`) && (instance === undefined || line.includes(`instance="${instance}"`));
};

/** The metrics of a process as it tells them; undefined when it does not answer in time, or somebody else does. */
const askTarget = async (target: Target, path: string): Promise<string | undefined> => {
  const { address } = target;
  if (address === undefined) return undefined;
  try {
    const response = await request(address.host, address.port, path, AbortSignal.timeout(LIMIT_MS));
    if (response.statusCode !== 200) {
      response.destroy();
      return undefined;
    }
    const text = await readText(response);
    return text !== undefined && isFrom(text, target) ? text : undefined;
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

/** What tells the metrics of one process from those of the others. */
interface ProcessLabels {
  readonly process: string;
  readonly instance?: string;
}

interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: string[];
}

interface Sample {
  readonly name: string;
  readonly labels: string;
  readonly value: string;
}

/** Text that is not in the exposition format of Prometheus. */
class NotMetrics extends Error {
  override readonly name = 'NotMetrics';
}

const HEAD = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.*)$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|Na[Nn])$/;
const LABEL = /\b([a-zA-Z_]\w*)="(?:[^"\\\n]|\\.)*"/g;
/** What a histogram and a summary add to the name of their family. */
const PARTS = ['', '_bucket', '_sum', '_count'];

const parseSample = (line: string): Sample => {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new NotMetrics(`invalid metrics line: ${line.slice(0, 100)}`);
  return { name, labels, value };
};

const renderLabels = ({ process, instance }: ProcessLabels): string[] => [
  `process="${process}"`,
  ...(instance === undefined ? [] : [`instance="${instance}"`]),
];

/** The label that every sample of a process carries is given anew, so that no two processes have the same. */
const relabel = (labels: string, own: readonly string[]): string => {
  const others = [...labels.matchAll(LABEL)].filter(([, name]) => name !== 'process' && name !== 'instance').map(([label]) => label);
  return [...others, ...own].join(',');
};

/** The metrics of several processes as one text: each family once, with the samples of all. */
class MergedMetrics {
  readonly #families = new Map<string, Family>();

  /** Adds the whole text of one process, or nothing: throws NotMetrics. A family that another process has as another type is left out. */
  add(text: string, labels: ProcessLabels): void {
    const own = renderLabels(labels);
    for (const [name, family] of parseFamilies(text)) {
      const known = this.#families.get(name);
      const samples = family.samples.map(({ name: sample, labels: given, value }) => `${sample}{${relabel(given, own)}} ${value}`);
      if (known === undefined) this.#families.set(name, { ...family, samples });
      else if (known.type === family.type) known.samples.push(...samples);
    }
  }

  /** Adds one sample to a gauge. */
  set(name: string, help: string, labels: ProcessLabels, value: number): void {
    const family = this.#families.get(name) ?? { help, type: 'gauge', samples: [] };
    this.#families.set(name, family);
    family.samples.push(`${name}{${renderLabels(labels).join(',')}} ${value}`);
  }

  toString(): string {
    const families = [...this.#families].map(([name, { help, type, samples }]) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples].join('\n'),
    );
    return `${families.join('\n')}\n`;
  }
}

interface ParsedFamily {
  help: string;
  type: string;
  readonly samples: Sample[];
}

const parseFamilies = (text: string): Map<string, ParsedFamily> => {
  const families = new Map<string, ParsedFamily>();
  let current: { readonly name: string; readonly family: ParsedFamily } | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, kind, name, rest = ''] = HEAD.exec(line) ?? [];
    if (name !== undefined) {
      const family = families.get(name) ?? { help: '', type: 'untyped', samples: [] };
      families.set(name, family);
      if (kind === 'HELP') family.help = rest;
      else family.type = rest;
      current = { name, family };
    } else if (!line.startsWith('#')) {
      const sample = parseSample(line);
      const owner = current;
      if (owner === undefined || !PARTS.some((part) => sample.name === `${owner.name}${part}`))
        throw new NotMetrics(`${sample.name} belongs to no metric family`);
      owner.family.samples.push(sample);
    }
  }
  return families;
};
