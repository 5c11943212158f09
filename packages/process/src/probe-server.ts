import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { featureDisabled, toErrorEnvelope } from '@sheaf/contract';
import { type ComponentHealth, foundProblems, makeProblem, problemsOf } from '@sheaf/contract/operations';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { worst } from '@sheaf/vocabulary/health';
import type { Logger } from './log.ts';
import type { Component } from './loop.ts';
import { type Registry, renderMetrics } from './metrics.ts';
import { nodeHttp } from './node-http.ts';
import { FatalError } from './process-life.ts';

/** Where the probes of every process answer. */
export interface ProbePaths {
  readonly healthPath: string;
  readonly readyPath: string;
  readonly metricsPath: string;
}

/** What the parts of a process come to: the worst of them, with what each one says that is not well. */
export const summarise = (components: Readonly<Record<string, ComponentHealth>>): ComponentHealth => {
  const status = worst(Object.values(components).map((component) => component.status));
  if (status === 'healthy') return { status };
  const findings = Object.entries(components).filter(([, component]) => component.status === status);
  return foundProblems(
    status,
    findings.flatMap(([name, component]) => problemsOf(component, name)),
  );
};

export interface ProbeSettings {
  readonly host: string;
  /** The first port to try; a taken one is a warning, and the next free one is used. */
  readonly port: number;
  readonly log: Logger;
  readonly registry: Registry;
  readonly paths: ProbePaths;
  /** False: the metrics are answered with FEATURE_DISABLED. */
  readonly metricsEnabled: boolean;
  /** What each part of the process says of itself. */
  health(): Readonly<Record<string, ComponentHealth>>;
  /** Whether the process can do its work now, as far as no part of it knows. Asked by each probe: answer cheaply. */
  ready(): Promise<ComponentHealth>;
}

const PORTS_TO_TRY = 50;
const JSON_TYPE = 'application/json';

const LISTENER = { what: 'the probe server', hostVariable: 'PROBE_HOST', portVariable: 'PROBE_PORT_BASE' };

const isTaken = ({ cause }: FatalError): boolean => (cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';

/** Liveness, readiness and metrics of a process that serves nothing else. */
export class ProbeServer implements Component {
  readonly name = 'probe-server';
  readonly #settings: ProbeSettings;
  readonly #server: PlainServer;

  constructor(settings: ProbeSettings) {
    this.#settings = settings;
    this.#server = new PlainServer(
      LISTENER,
      async (request, response) => {
        const [status, type, body] = await this.#answer(request);
        response.writeHead(status, { 'content-type': type }).end(body);
      },
      (error) => settings.log.error({ err: error }, 'probe failed'),
    );
  }

  /** The port in use; 0 before `start`. */
  get port(): number {
    return this.#server.port;
  }

  async start(): Promise<void> {
    const { host, port, log } = this.#settings;
    for (let candidate = port; ; candidate += 1) {
      try {
        await this.#server.listen(host, candidate);
        return;
      } catch (error) {
        if (!(error instanceof FatalError && isTaken(error)) || candidate >= port + PORTS_TO_TRY) throw error;
        log.warn({ host, port: candidate }, 'probe port in use, trying the next one');
      }
    }
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  async #answer({ url = '/', headers: { accept } }: IncomingMessage): Promise<[number, string, string]> {
    const { registry, paths, metricsEnabled } = this.#settings;
    switch (url.split('?')[0]) {
      case paths.healthPath: {
        const components = this.#settings.health();
        const { status } = summarise(components);
        // that it answers is the point: whoever ends what does not live would not bring back a database or a storage by it
        return [200, JSON_TYPE, JSON.stringify({ status, components })];
      }
      case paths.readyPath: {
        const asked = await this.#settings.ready();
        const ready = asked.status === 'unhealthy' ? asked : summarise(this.#settings.health());
        return [ready.status === 'unhealthy' ? 503 : 200, JSON_TYPE, JSON.stringify(ready)];
      }
      case paths.metricsPath: {
        if (metricsEnabled) {
          const { type, body } = await renderMetrics(registry, accept);
          return [200, type, body];
        }
        const off = featureDisabled('METRICS_ENABLED');
        return [off.status, JSON_TYPE, JSON.stringify(toErrorEnvelope(off, uuidv7(), systemClock.now()))];
      }
      default:
        return [404, JSON_TYPE, '{}'];
    }
  }
}

/** Where the time comes from. Tests pass one that they move by hand. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

const COUNTER_BITS = 12;
const MAX_COUNTER = 2 ** COUNTER_BITS - 1;
const HEX_DIGITS = COUNTER_BITS / 4;

let lastMs = 0;
let counter = 0;

/** Begins somewhere in the lower half, so that a millisecond has room for 2,048 more. */
const nextCounter = (nowMs: number, random: string): number =>
  nowMs === lastMs ? Math.min(counter + 1, MAX_COUNTER) : Number.parseInt(random.slice(0, HEX_DIGITS), 16) >> 1;

/**
 * A UUID version 7: 48 bits of Unix milliseconds, 12 of a counter, then random bits (RFC 9562, section 6.2, method 1). Rows made one after
 * the other by one process get keys in their order, those of others neighbouring keys, so indexes grow at their end.
 */
export const uuidv7 = (nowMs: number = Date.now()): string => {
  const time = nowMs.toString(16).padStart(12, '0');
  // of version 4, for which Node has random bytes in store: its version and what stands before it are replaced
  const random = randomUUID().slice(15);
  counter = nextCounter(nowMs, random);
  lastMs = nowMs;
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(HEX_DIGITS, '0')}${random.slice(HEX_DIGITS)}`;
};

/** A small HTTP server beside the work of a process: for probes and metrics. */
export class PlainServer {
  readonly #server: Server;
  readonly #listener: Listener;

  /** `listener` is what an error calls it. What `answer` throws is given to `onError` and answered with 500. */
  constructor(
    listener: Listener,
    answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
    onError: (error: unknown) => void,
  ) {
    this.#listener = listener;
    this.#server = nodeHttp.createServer((request, response) => {
      answer(request, response).catch((error: unknown) => {
        onError(error);
        response.writeHead(500).end();
      });
    });
  }

  /** The port in use; 0 before `listen`. */
  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  /** Throws FatalError when the port cannot be had. May be called twice. */
  async listen(host: string, port: number): Promise<void> {
    if (!this.#server.listening) await listen(this.#server, { host, port }, this.#listener);
  }

  /** Ends all connections. May be called twice. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Who listens, in words, and the variables by which another place is given. */
interface Listener {
  readonly what: string;
  readonly hostVariable: string;
  readonly portVariable: string;
}

/** Why a place cannot be had, as far as the person has to change something. A name that cannot be asked for now may be known later. */
const explain = (error: NodeJS.ErrnoException, { host, port }: ListenAddress, listener: Listener): Error => {
  const { what, hostVariable, portVariable } = listener;
  const [code, variable] =
    (
      {
        EADDRINUSE: ['listen_address_in_use', portVariable],
        EACCES: ['listen_port_privileged', portVariable],
        EADDRNOTAVAIL: ['listen_address_missing', hostVariable],
        EAFNOSUPPORT: ['listen_family_missing', hostVariable],
        ENOTFOUND: ['listen_host_unknown', hostVariable],
      } as const
    )[error.code ?? ''] ?? [];
  if (code === undefined) return error;
  const details = { listener: what, address: `${isIPv6(host) ? `[${host}]` : host}:${port}`, variable };
  return new FatalError(makeProblem(code, details), EXIT.configuration, error);
};

/** Throws a FatalError with exit code 78 where the address is at fault. Its cause has the code. */
export const listen = (server: Server, address: ListenAddress, listener: Listener): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(explain(error, address, listener));
    server.once('error', fail);
    server.listen(address.port, address.host, () => {
      server.off('error', fail);
      resolve();
    });
  });
