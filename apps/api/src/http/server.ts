import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AppError, errorCode, toErrorEnvelope, validationError } from '@sheaf/contract';
import { type Component, listen } from '@sheaf/process';
import { nodeHttp } from '@sheaf/process/node-http';
import { NOT_STORED } from './answer-headers.ts';

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

/** What Node takes of a request's first line and headers. */
const HEAD_LIMIT_BYTES = 16 * 1024;

const toAppError = (code: string | undefined): AppError => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return validationError('The URL and headers of the request are too long.', { limit_bytes: HEAD_LIMIT_BYTES });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return validationError('The request was not received in time.');
    default:
      return validationError('The request is malformed.');
  }
};

/** Answers with the envelope of an error where there is no response yet, and closes the connection. */
export const answerRaw = (socket: Duplex, error: AppError, now: Date): void => {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(toErrorEnvelope(error, randomUUID(), now));
  const head = [
    `HTTP/1.1 ${error.status} ${nodeHttp.STATUS_CODES[error.status] ?? ''}`,
    'Content-Type: application/json',
    NOT_STORED.join(': '),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

/**
 * Answers what is no request that express could see: an address of a megabyte, or bytes that are not HTTP. Choice: 400 for all
 * of them, as for anything else that cannot be understood, also where Node would say 408 or 431.
 */
const refuseRequest = (error: Error, socket: Duplex): void => {
  if (errorCode(error) === 'ECONNRESET') socket.destroy();
  else answerRaw(socket, toAppError(errorCode(error)), new Date());
};

/** How much of a body is read that nobody wants, before the connection is closed. */
interface LingerLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** Enough for any file that is uploaded by mistake; a sender who goes on beyond it does not read. */
const LINGER: LingerLimits = { bytes: 1024 * 1024 * 1024, ms: 60_000 };

/** So much is read within a moment, and the connection goes on. */
const SMALL_BYTES = 256 * 1024;

const hasLongBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL_BYTES;

/** Throws away what still comes of the body, and closes the connection at its end or at a limit. */
const readRest = (request: IncomingMessage, { bytes, ms }: LingerLimits): void => {
  const { socket } = request;
  const close = (): void => {
    if (!request.complete || !socket.writable) socket.destroy();
  };
  const timer = setTimeout(close, ms);
  let left = bytes;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  });
  request.once('end', close);
  // Node forgets a request once it is answered: whoever still reads its body would wait for ever
  const end = (): unknown => request.destroy();
  socket.once('close', end);
  request.once('close', () => {
    clearTimeout(timer);
    socket.off('close', end);
  });
  request.unpipe();
  request.resume();
};

/**
 * For a request that is answered before its body has come: refused, mostly. Many clients send to the end before they look for an answer; a
 * connection that is closed meanwhile takes the answer from them (RST). So the answer says `Connection: close` and ends what is
 * sent here, and the body is read on, within limits, until the client has seen it. A short body is read, and the connection stays.
 */
const closeAfterEarlyAnswer = (request: IncomingMessage, response: ServerResponse, limits: LingerLimits): void => {
  const { socket } = request;
  if (hasLongBody(request)) {
    const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse;
    response.writeHead = (...given: unknown[]) => {
      if (!request.complete) response.shouldKeepAlive = false;
      return writeHead(...given);
    };
  }
  // before the listener of Node, which would close the connection in both directions
  response.prependOnceListener('finish', () => {
    if (request.complete) return;
    if (!response.shouldKeepAlive) socket.destroySoon = () => void socket.end();
    readRest(request, limits);
  });
};
