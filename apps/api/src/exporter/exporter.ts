import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Component, type Logger, PlainServer, shareAnswer } from '@sheaf/process';

export interface ExporterSettings {
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
    if (this.#server.isListening) return;
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
