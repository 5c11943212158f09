import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, publicCodeOf, unauthorized, validationError, withoutOptionalNulls } from '@sheaf/contract';
import { type ServerReply, subscribeRequest } from '@sheaf/contract/events';
import { nodeHttp } from '@sheaf/process/node-http';
import { CLOSE_CODES, type CloseCode } from '@sheaf/vocabulary/events';
import { MAX_CLIENT_MESSAGE_BYTES } from '@sheaf/vocabulary/limits';
import { Server, type Socket } from 'socket.io';
import { z } from 'zod';
import { ClientConnection, type ClientConnectionDeps } from './client-connection.ts';
import { type ConnectionRegister, type Handshake, type Place, toCredentials } from './connection-register.ts';
import type { EventConnection, OutgoingEvent } from './follower.ts';

/** What a client says when it begins. */
const beginning = z.object({ token: z.string().max(16_384).optional() });

/** What the client gets as `connect_error`. */
const toConnectError = (error: AppError, close: number): Error => {
  const { message } = error;
  return Object.assign(new Error(message), { data: { type: 'error', ...publicCodeOf(error), message, close_code: close } });
};

interface Begun {
  readonly handshake: Handshake;
  readonly place: Place | undefined;
}

/** Takes connections of socket.io, over both of its transports. */
export class SocketIoTransport {
  readonly #register: ConnectionRegister;
  readonly #deps: ClientConnectionDeps;
  readonly #io: Server;
  readonly #handshakes = new WeakMap<IncomingMessage, Handshake>();
  /** By the connection below, which there is before a client says who it is. */
  readonly #begun = new WeakMap<object, Begun>();
  readonly #clients = new WeakMap<Socket, ClientConnection>();

  constructor(register: ConnectionRegister, deps: ClientConnectionDeps) {
    this.#register = register;
    this.#deps = deps;
    const { pingMs, authMs } = deps.user.limits;
    this.#io = new Server({
      serveClient: false,
      transports: ['websocket', 'polling'],
      pingInterval: pingMs,
      pingTimeout: pingMs,
      connectTimeout: authMs,
      maxHttpBufferSize: MAX_CLIENT_MESSAGE_BYTES,
      perMessageDeflate: false,
      httpCompression: false,
    });
    // it wants a server to hang itself on; ours brings it only what passed our own handshake
    this.#io.attach(nodeHttp.createServer());
    this.#io.engine.on('connection', (raw: Socket['conn']) => this.#begin(raw));
    this.#io.use((socket, next) => void this.#letIn(socket, next));
    this.#io.on('connection', (socket) => this.#serve(socket));
  }

  /** Whether this belongs to a connection that has begun. */
  isKnown(sid: string): boolean {
    return Object.hasOwn((this.#io.engine as unknown as { clients: object }).clients, sid);
  }

  /** Answers a request of a connection; `handshake` is of one that begins. */
  request(request: IncomingMessage, response: ServerResponse, handshake?: Handshake): void {
    if (handshake !== undefined) this.#handshakes.set(request, handshake);
    this.#io.engine.handleRequest(request, response);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, handshake?: Handshake): void {
    if (handshake !== undefined) this.#handshakes.set(request, handshake);
    this.#io.engine.handleUpgrade(request, socket, head);
  }

  async stop(): Promise<void> {
    await this.#io.close();
  }

  #begin(raw: Socket['conn']): void {
    const handshake = this.#handshakes.get(raw.request) ?? { credentials: undefined, addressBlock: 'unknown' };
    const place = this.#register.admit('socket.io', handshake.addressBlock);
    this.#begun.set(raw, { handshake, place });
    raw.once('close', () => place?.leave());
  }

  async #letIn(socket: Socket, next: (error?: Error) => void): Promise<void> {
    next(await this.#admit(socket));
  }

  /** An error where it is not let in. */
  async #admit(socket: Socket): Promise<Error | undefined> {
    const { handshake, place } = this.#begun.get(socket.conn) ?? {};
    if (handshake === undefined || place === undefined) {
      const full = new AppError('RATE_LIMITED', 'Too many connections. Try again later.', { code: 'TOO_MANY_CONNECTIONS' });
      return toConnectError(full, CLOSE_CODES.tooManyConnections);
    }
    const { token } = beginning.safeParse(socket.handshake.auth).data ?? {};
    const credentials = token === undefined ? handshake.credentials : toCredentials(token);
    if (credentials === undefined)
      return toConnectError(unauthorized('Authentication required: io(url, {auth: {token}}).'), CLOSE_CODES.unauthorized);
    const client = new ClientConnection(new SocketIoConnection(socket), place, handshake.addressBlock, this.#deps);
    socket.conn.once('close', () => client.over());
    const refusal = await client.admit(credentials);
    if (refusal === undefined) {
      this.#clients.set(socket, client);
      return undefined;
    }
    client.over();
    return toConnectError(refusal.error, refusal.close);
  }

  #serve(socket: Socket): void {
    const client = this.#clients.get(socket);
    if (client === undefined) return;
    socket.once('disconnect', () => {
      client.over();
      socket.conn.close(); // there is nothing else here to connect to
    });
    socket.use((_message, next) => {
      if (client.mayHear()) next();
    });
    socket.on('subscribe', (request: unknown, acknowledge: unknown) => {
      const parsed = subscribeRequest.safeParse(withoutOptionalNulls(subscribeRequest, request ?? {}));
      const send = typeof acknowledge === 'function' ? (reply: unknown) => void acknowledge(reply) : () => {};
      if (parsed.success) void client.subscribe(parsed.data, send);
      else send(client.refuse(validationError('Subscribe with {events: [...], last_seq}.')));
    });
    socket.on('auth', (request: unknown) => {
      const { token } = beginning.safeParse(request).data ?? {};
      if (token === undefined) client.refuse(validationError('Send {token} with auth.'));
      else void client.authenticate(toCredentials(token));
    });
    client.welcome();
  }
}

/** What a transport has not sent yet, where it knows: the type of a transport does not tell. */
const bufferedBy = (transport: unknown): number => {
  const { socket } = transport as { readonly socket?: { readonly bufferedAmount?: number } };
  return socket?.bufferedAmount ?? 0;
};

/** A client of socket.io. What is said has the same form as over /ws, in messages named by its type. */
class SocketIoConnection implements EventConnection {
  readonly protocol = 'socket.io';
  readonly #socket: Socket;
  /** Said, and not taken by the transport. */
  #queuedBytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.conn.on('flush', () => {
      this.#queuedBytes = 0;
    });
  }

  get isOpen(): boolean {
    return this.#socket.connected;
  }

  reply(message: ServerReply): void {
    if (this.isOpen) this.#socket.emit(message.type, message);
  }

  deliver(events: readonly OutgoingEvent[]): void {
    if (!this.isOpen) return;
    for (const { type, body, json } of events) {
      this.#queuedBytes += json.length; // before it may be flushed
      this.#socket.emit(type, body);
    }
  }

  waitingBytes(): number {
    return this.#queuedBytes + bufferedBy(this.#socket.conn.transport);
  }

  /** There are no codes here, so what would be one is said in a message before. */
  close(code: CloseCode, reason: string): void {
    if (this.isOpen) this.#socket.emit('closing', { close_code: code, reason });
    this.#socket.disconnect(true);
  }
}
