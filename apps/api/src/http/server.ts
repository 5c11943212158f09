import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Component, listen } from '@sheaf/process';
import { nodeHttp } from '@sheaf/process/node-http';
import { closeAfterEarlyAnswer, LINGER, type LingerLimits } from './early-answer.ts';
import { refuseRequest } from './refuse-request.ts';

export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  /** For tests: how much of a body that nobody wants is read before the connection is closed. */
  readonly linger?: Partial<LingerLimits>;
}

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const HEADERS_LIMIT_MS = 30_000;
/** How often connections are looked through for headers that take too long. */
const HEADERS_CHECK_MS = 5_000;
/** A connection on which nothing moves for so long is closed. There is no limit on the whole request: uploads may be long, and keep pace. */
const IDLE_LIMIT_MS = 120_000;
/** Requests under way get this long to end once the process is asked to stop. */
const DRAIN_MS = 8_000;

const LISTENER = {
  what: 'the api',
  hostVariable: 'SERVER_HOST (or SERVER_ADDRESS)',
  portVariable: 'SERVER_PORT (or SERVER_ADDRESS)',
};

/** Other protocols that a client offers are not taken up: its request is answered as any other. */
const isForWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

/**
 * Serves `app`, and gives requests for a WebSocket to `upgrades`. `stop` takes no more connections and lets the requests under way end;
 * what still comes on connections that are open is answered, with `Connection: close`. It waits for WebSockets.
 */
export class HttpServer implements Component {
  readonly name = 'http-server';
  readonly #settings: ServerSettings;
  readonly #server: Server;
  /** Answers of which not all has been sent. */
  readonly #underWay = new Set<ServerResponse>();
  /** Connections on which no request has come yet, as browsers and balancers open them in advance. Node takes them for busy. */
  readonly #silent = new Set<Socket>();
  #isStopping = false;

  constructor(app: RequestListener, settings: ServerSettings, upgrades?: UpgradeHandler) {
    this.#settings = settings;
    const timeouts = {
      headersTimeout: HEADERS_LIMIT_MS,
      connectionsCheckingInterval: HEADERS_CHECK_MS,
      requestTimeout: 0,
      keepAliveTimeout: 10_000,
    };
    this.#server = nodeHttp.createServer(
      { ...timeouts, shouldUpgradeCallback: (request) => upgrades !== undefined && isForWebSocket(request) },
      app,
    );
    this.#server.on('connection', (socket) => this.#hear(socket));
    this.#server.prependListener('request', (request, response) => this.#follow(request, response));
    if (upgrades !== undefined) {
      this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        this.#silent.delete(request.socket);
        upgrades(request, socket, head);
      });
    }
    this.#server.setTimeout(IDLE_LIMIT_MS);
    this.#server.on('clientError', refuseRequest);
  }

  /** Where it listens; port 0 before `start`. */
  address(): { host: string; port: number } {
    const { address = this.#settings.host, port = 0 } = (this.#server.address() ?? {}) as Partial<AddressInfo>;
    return { host: address, port };
  }

  /** How many connections are open, those for events among them. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    });
  }

  async start(): Promise<void> {
    if (this.#server.listening) return;
    await listen(this.#server, this.#settings, LISTENER);
  }

  /** From then on the answer to whether the service is ready is no. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Says from now on that it stops, and that each connection ends with its next answer. Still takes requests. */
  announceStop(): void {
    this.#isStopping = true;
    for (const response of this.#underWay) response.shouldKeepAlive = false;
  }

  async stop(): Promise<void> {
    this.announceStop();
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve)); // idle connections with it
    for (const socket of this.#silent) socket.destroy();
    const force = setTimeout(() => this.#server.closeAllConnections(), DRAIN_MS);
    await closed;
    clearTimeout(force);
  }

  #hear(socket: Socket): void {
    this.#silent.add(socket);
    socket.once('close', () => this.#silent.delete(socket));
  }

  #follow(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#silent.delete(socket);
    if (this.#isStopping) response.shouldKeepAlive = false;
    this.#underWay.add(response);
    response.setMaxListeners(20); // log, trace, deadline, compressor and a stream listen for its end, ten at times
    closeAfterEarlyAnswer(request, response, { ...LINGER, ...this.#settings.linger });
    response.once('close', () => {
      this.#underWay.delete(response);
      // one whose headers had gone out before had promised to stay open
      if (this.#isStopping) this.#server.closeIdleConnections();
    });
  }
}
