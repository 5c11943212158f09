import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ComponentHealth, worst } from '@sheaf/contract';
import type { Component } from './component.ts';
import type { Logger } from './log.ts';
import type { Registry } from './metrics.ts';

export interface ProbeSettings {
  readonly host: string;
  /** The first port to try; a taken one is a warning, and the next free one is used. */
  readonly port: number;
  readonly log: Logger;
  readonly registry: Registry;
  /** What each part of the process says of itself. */
  health(): Readonly<Record<string, ComponentHealth>>;
  /** Whether the process can do its work now. */
  ready(): Promise<ComponentHealth>;
}

const PORTS_TO_TRY = 50;

const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** `/health`, `/ready` and `/metrics` of a process that serves nothing else. */
export class ProbeServer implements Component {
  readonly name = 'probe-server';
  readonly #settings: ProbeSettings;
  readonly #server: Server;

  constructor(settings: ProbeSettings) {
    this.#settings = settings;
    this.#server = createServer((request, response) => {
      this.#answer(request.url ?? '/').then(
        ([status, type, body]) => response.writeHead(status, { 'content-type': type }).end(body),
        (error: unknown) => {
          settings.log.error({ err: error }, 'probe failed');
          response.writeHead(500).end();
        },
      );
    });
  }

  /** The port in use; 0 before `start`. */
  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  async start(): Promise<void> {
    if (this.#server.listening) return;
    const { host, port, log } = this.#settings;
    for (let candidate = port; ; candidate += 1) {
      try {
        await listen(this.#server, host, candidate);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || candidate >= port + PORTS_TO_TRY) throw error;
        log.warn({ host, port: candidate }, 'probe port is taken, trying the next one');
      }
    }
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(url: string): Promise<[number, string, string]> {
    const { registry } = this.#settings;
    switch (url.split('?')[0]) {
      case '/health': {
        const components = this.#settings.health();
        const status = worst(Object.values(components).map((component) => component.status));
        return [status === 'unhealthy' ? 503 : 200, 'application/json', JSON.stringify({ status, components })];
      }
      case '/ready': {
        const ready = await this.#settings.ready();
        return [ready.status === 'unhealthy' ? 503 : 200, 'application/json', JSON.stringify(ready)];
      }
      case '/metrics':
        return [200, registry.contentType, await registry.metrics()];
      default:
        return [404, 'application/json', '{}'];
    }
  }
}
