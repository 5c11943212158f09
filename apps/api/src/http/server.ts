import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { EXIT } from '@sheaf/contract';
import { type Component, FatalError } from '@sheaf/runtime';
import type { Express } from 'express';
import { refuseRequest } from './refuse-request.ts';

export interface ServerSettings {
  readonly host: string;
  readonly port: number;
}

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const HEADERS_LIMIT_MS = 30_000;
/** A connection on which nothing moves for so long is closed. There is no limit on the whole request: uploads may be long. */
const IDLE_LIMIT_MS = 120_000;
/** Requests under way get this long to end once the process is asked to stop. */
const DRAIN_MS = 8_000;

/** Other protocols that a client offers are not taken up: its request is answered as any other. */
const isForWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

/** Serves `app`, and gives requests for a WebSocket to `upgrades`. `stop` lets the requests under way end; it waits for WebSockets. */
export class HttpServer implements Component {
  readonly name = 'http-server';
  readonly #settings: ServerSettings;
  readonly #server: Server;

  constructor(app: Express, settings: ServerSettings, upgrades?: UpgradeHandler) {
    this.#settings = settings;
    const timeouts = { headersTimeout: HEADERS_LIMIT_MS, requestTimeout: 0, keepAliveTimeout: 10_000 };
    this.#server = createServer(
      { ...timeouts, shouldUpgradeCallback: (request) => upgrades !== undefined && isForWebSocket(request) },
      app,
    );
    if (upgrades !== undefined) this.#server.on('upgrade', upgrades);
    this.#server.setTimeout(IDLE_LIMIT_MS);
    this.#server.on('clientError', refuseRequest);
  }

  /** Where it listens; port 0 before `start`. */
  address(): { host: string; port: number } {
    const { address = this.#settings.host, port = 0 } = (this.#server.address() ?? {}) as Partial<AddressInfo>;
    return { host: address, port };
  }

  async start(): Promise<void> {
    if (this.#server.listening) return;
    const { host, port } = this.#settings;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
      this.#server.listen(port, host, resolve);
    });
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    const force = setTimeout(() => this.#server.closeAllConnections(), DRAIN_MS);
    await closed;
    clearTimeout(force);
  }
}

const explain = (error: NodeJS.ErrnoException, host: string, port: number): Error => {
  const remedy = {
    EADDRINUSE: 'another program uses it',
    EACCES: 'ports below 1024 need rights',
    EADDRNOTAVAIL: 'this machine has no such address',
  }[error.code ?? ''];
  if (remedy === undefined) return error;
  return new FatalError(`Cannot listen on ${host}:${port}: ${remedy}. Set SERVER_ADDRESS to another host:port`, EXIT.configuration, error);
};
