import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FixedConfig } from '@sheaf/config';
import { AppError, featureDisabled, validationError, withoutOptionalNulls } from '@sheaf/contract';
import { type ClientMessage, clientMessage, type ServerReply } from '@sheaf/contract/events';
import type { Clock, Logger } from '@sheaf/process';
import { CLOSE_CODES, type CloseCode } from '@sheaf/vocabulary/events';
import { MAX_CLIENT_MESSAGE_BYTES } from '@sheaf/vocabulary/limits';
import type { Express, Request, RequestHandler } from 'express';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { toAppError } from '../http/errors.ts';
import { requireOwnOrigin } from '../http/request-origin.ts';
import { answerRaw } from '../http/server.ts';
import { ClientConnection, type ClientConnectionDeps } from './client-connection.ts';
import { type ConnectionRegister, type Handshake, type HandshakeParts, readHandshake, toCredentials } from './connection-register.ts';
import type { EventConnection, OutgoingEvent } from './follower.ts';
import type { SocketIoTransport } from './socket-io-transport.ts';

const WEBSOCKET_PATH = '/ws';
const SOCKET_IO_PATH = '/socket.io';

export interface Transports {
  readonly websocket: WebSocketTransport;
  readonly socketIo: SocketIoTransport;
}

interface EventParts extends HandshakeParts {
  readonly config: Pick<FixedConfig, 'signIn' | 'cors' | 'server' | 'publicUrl'>;
  readonly log: Logger;
  readonly clock: Clock;
}

const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

const addressOf = ({ url = '/' }: IncomingMessage): URL => new URL(url, 'http://localhost');

const disabled = (): AppError => featureDisabled('WEBSOCKET_ENABLED');

/** Answers what comes to the transports as ordinary requests: the polling of socket.io, and who takes /ws for a page. `transports` is undefined while they are disabled. */
export const eventRequests = (transports: Transports | undefined, parts: EventParts): RequestHandler => {
  return async (request, response, next) => {
    const path = withoutSlash(request.path);
    if (path !== WEBSOCKET_PATH && path !== SOCKET_IO_PATH) return next();
    if (transports === undefined) throw disabled();
    if (path === WEBSOCKET_PATH) throw validationError('This is a WebSocket endpoint. Use a WebSocket client.');
    const sid = addressOf(request).searchParams.get('sid');
    const isUnderWay = sid !== null && transports.socketIo.isKnown(sid);
    const handshake = isUnderWay ? undefined : await readHandshake(request, parts, 'request');
    response.locals['route'] = SOCKET_IO_PATH;
    transports.socketIo.request(request, response, handshake);
  };
};

/** What express makes of a request, for those that never come to it. */
const asExpressRequest = (request: IncomingMessage, app: Express): Request =>
  Object.setPrototypeOf(request, app.request as object) as Request;

const enter = async (transports: Transports | undefined, { request, socket, head }: Upgrade, parts: EventParts): Promise<void> => {
  if (!parts.config.signIn.enabled) requireOwnOrigin(request, parts.config);
  const { pathname, searchParams } = addressOf(request);
  const path = withoutSlash(pathname);
  if (path !== WEBSOCKET_PATH && path !== SOCKET_IO_PATH) throw new AppError('NOT_FOUND', `No WebSocket endpoint at ${pathname}.`);
  if (transports === undefined) throw disabled();
  const sid = path === SOCKET_IO_PATH ? searchParams.get('sid') : null;
  const isUnderWay = sid !== null && transports.socketIo.isKnown(sid);
  const handshake: Handshake | undefined = isUnderWay ? undefined : await readHandshake(request, parts, 'upgrade');
  if (socket.destroyed) return;
  if (path === SOCKET_IO_PATH) transports.socketIo.upgrade(request, socket, head, handshake);
  else if (handshake !== undefined) transports.websocket.take(request, socket, head, handshake);
};

interface Upgrade {
  readonly request: Request;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Answers requests for a WebSocket. */
export const eventUpgrades =
  (transports: Transports | undefined, parts: EventParts, app: Express) =>
  (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const ignore = (): void => {}; // who goes away in between is gone
    socket.on('error', ignore);
    enter(transports, { request: asExpressRequest(request, app), socket, head }, parts)
      .catch((error: unknown) => {
        const known = toAppError(error);
        if (known.status >= 500) parts.log.error({ err: error, path: addressOf(request).pathname }, 'WebSocket handshake failed');
        answerRaw(socket, known, parts.clock.now());
      })
      .finally(() => socket.off('error', ignore));
  };

/** Who was told that the connection ends has this time to agree. */
const CLOSE_TIMEOUT_MS = 5_000;

// Apart, as the types of the package do not know `closeTimeout` yet.
const OPTIONS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_CLIENT_MESSAGE_BYTES,
  closeTimeout: CLOSE_TIMEOUT_MS,
};

/** What a client says, or undefined when it is nothing that clients say. */
const parseMessage = (data: RawData, isBinary: boolean): ClientMessage | undefined => {
  if (isBinary || !Buffer.isBuffer(data)) return undefined;
  try {
    return clientMessage.safeParse(withoutOptionalNulls(clientMessage, JSON.parse(data.toString('utf8')))).data;
  } catch {
    return undefined; // not JSON
  }
};

/** Takes connections of /ws. */
export class WebSocketTransport {
  readonly #register: ConnectionRegister;
  readonly #deps: ClientConnectionDeps;
  readonly #server = new WebSocketServer(OPTIONS);
  /** Each with whether it was heard of since it was last asked. */
  readonly #open = new Map<WebSocket, boolean>();
  #pings: NodeJS.Timeout | undefined;

  constructor(register: ConnectionRegister, deps: ClientConnectionDeps) {
    this.#register = register;
    this.#deps = deps;
  }

  start(): void {
    this.#pings ??= setInterval(() => this.#ping(), this.#deps.user.limits.pingMs);
  }

  /** Makes a connection of a request that asks for one; answers 400 where it does so in the wrong way. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer, handshake: Handshake): void {
    this.#server.handleUpgrade(request, socket, head, (opened) => this.#serve(opened, socket, handshake));
  }

  /** Closes all, and resolves when they are closed. */
  async stop(): Promise<void> {
    clearInterval(this.#pings);
    this.#pings = undefined;
    const closed = [...this.#open.keys()].map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
          socket.close(CLOSE_CODES.goingAway, 'The service is stopping. Reconnect later.');
          setTimeout(() => socket.terminate(), STOP_MS).unref();
        }),
    );
    await Promise.all(closed);
  }

  #serve(socket: WebSocket, wire: Duplex, { credentials, addressBlock }: Handshake): void {
    const connection = new WebSocketConnection(socket, wire);
    socket.on('error', () => {}); // the close that follows tells enough
    const place = this.#register.admit('websocket', addressBlock);
    if (place === undefined) {
      connection.close(CLOSE_CODES.tooManyConnections, 'Too many connections.');
      return;
    }
    this.#open.set(socket, true);
    const client = new ClientConnection(connection, place, addressBlock, this.#deps);
    const isHeard = (): void => {
      if (this.#open.has(socket)) this.#open.set(socket, true);
    };
    socket.on('pong', isHeard);
    socket.on('ping', () => client.mayHear()); // each of them costs an answer
    socket.on('message', (data, isBinary) => {
      isHeard();
      if (client.mayHear()) answer(client, parseMessage(data, isBinary));
    });
    socket.once('close', () => {
      this.#open.delete(socket);
      client.over();
    });
    if (credentials !== undefined) void client.authenticate(credentials);
  }

  #ping(): void {
    for (const [socket, wasHeard] of this.#open) {
      if (!wasHeard) {
        socket.terminate();
        continue;
      }
      this.#open.set(socket, false);
      if (socket.readyState === WebSocket.OPEN) socket.ping();
    }
  }
}

const STOP_MS = 1_000;

const answer = (client: ClientConnection, message: ClientMessage | undefined): void => {
  if (message === undefined) {
    const known = '{"type":"auth","token":"..."} and {"type":"subscribe","events":["..."],"last_seq":0}';
    client.refuse(validationError(`Unknown message. Supported messages: ${known}.`));
  } else if (message.type === 'auth') {
    void client.authenticate(toCredentials(message.token));
  } else {
    const { type: _, ...request } = message;
    void client.subscribe(request);
  }
};

const AS_TEXT = { binary: false };

/** What a close frame can hold. */
const MAX_REASON_BYTES = 123;

const shorten = (reason: string): string => {
  let short = reason;
  while (Buffer.byteLength(short) > MAX_REASON_BYTES) short = short.slice(0, -1);
  return short;
};

/** A client of /ws. */
class WebSocketConnection implements EventConnection {
  readonly protocol = 'websocket';
  readonly #socket: WebSocket;
  readonly #wire: Duplex;

  /** `wire` is what `socket` writes to. */
  constructor(socket: WebSocket, wire: Duplex) {
    this.#socket = socket;
    this.#wire = wire;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  reply(message: ServerReply): void {
    if (this.isOpen) this.#socket.send(JSON.stringify(message));
  }

  deliver(events: readonly OutgoingEvent[]): void {
    if (!this.isOpen) return;
    this.#wire.cork(); // one write for all of them
    for (const { json } of events) this.#socket.send(json, AS_TEXT);
    this.#wire.uncork();
  }

  waitingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  close(code: CloseCode, reason: string): void {
    this.#socket.close(code, shorten(reason));
  }
}
