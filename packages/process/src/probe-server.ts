import { featureDisabled, toErrorEnvelope } from '@sheaf/contract';
import { type ComponentHealth, foundProblems, problemsOf } from '@sheaf/contract/operations';
import { worst } from '@sheaf/vocabulary/health';
import { systemClock } from './clock.ts';
import type { Component } from './component.ts';
import type { Logger } from './log.ts';
import type { Registry } from './metrics.ts';
import { PlainServer } from './plain-server.ts';
import { FatalError } from './process-life.ts';
import { uuidv7 } from './uuid.ts';

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
        const [status, type, body] = await this.#answer(request.url ?? '/');
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
    if (this.#server.isListening) return;
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

  async #answer(url: string): Promise<[number, string, string]> {
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
        if (metricsEnabled) return [200, registry.contentType, await registry.metrics()];
        const off = featureDisabled('METRICS_ENABLED');
        return [off.status, JSON_TYPE, JSON.stringify(toErrorEnvelope(off, uuidv7(), systemClock.now()))];
      }
      default:
        return [404, JSON_TYPE, '{}'];
    }
  }
}
