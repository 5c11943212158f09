import { io, type Socket } from 'socket.io-client';
import { WebSocket } from 'ws';
import { conditionOf } from './error-condition.ts';
import { waitFor } from './wait-for.ts';

export type Message = Readonly<Record<string, unknown>>;

const LIMIT_MS = 20_000;

/** What the service said to one client, in its order. */
class Heard {
  readonly messages: Message[] = [];

  /** The first message of a type (behind the first `from` ones), once it is there. */
  message(type: string, from = 0): Promise<Message> {
    return waitFor(() => this.messages.slice(from).find((message) => message['type'] === type), {
      description: () => `a message ${type}; so far ${JSON.stringify(this.messages)}`,
      limitMs: LIMIT_MS,
    });
  }

  /** The events so far, with the momentary ones, which have no number. */
  get events(): Message[] {
    return this.messages.filter(({ timestamp }) => timestamp !== undefined);
  }

  get sequence(): number[] {
    return this.events.flatMap(({ seq }) => (seq === undefined ? [] : Number(seq)));
  }

  /** The events once one of them satisfies `isIt`. */
  async eventsUntil(isIt: (event: Message) => boolean): Promise<Message[]> {
    await waitFor(() => this.events.some(isIt), {
      description: () => `an event; so far ${JSON.stringify(this.messages).slice(0, 2_000)}`,
      limitMs: LIMIT_MS,
    });
    return this.events;
  }
}

/** A client of /ws. */
export class EventClient extends Heard implements AsyncDisposable {
  readonly socket: WebSocket;
  closed: { code: number; reason: string } | undefined;
  /** Of an answer that is no WebSocket. */
  refused: { status: number; code: string } | undefined;
  failed: Error | undefined;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}, path = '/ws') {
    super();
    this.socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers });
    this.socket.on('message', (data: Buffer) => this.messages.push(JSON.parse(data.toString('utf8')) as Message));
    this.socket.on('close', (code, reason) => (this.closed = { code, reason: reason.toString('utf8') }));
    this.socket.on('error', (error) => (this.failed = error));
    this.socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
      response.on('end', () => {
        this.refused = { status: response.statusCode ?? 0, code: conditionOf(JSON.parse(text)) ?? '' };
      });
    });
  }

  say(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  async opened(): Promise<this> {
    await waitFor(() => this.socket.readyState === WebSocket.OPEN, { description: 'the WebSocket to open', limitMs: LIMIT_MS });
    return this;
  }

  whenClosed(limitMs = LIMIT_MS): Promise<{ code: number; reason: string }> {
    return waitFor(() => this.closed, { description: () => `the WebSocket to close; so far ${JSON.stringify(this.messages)}`, limitMs });
  }

  whenRefused(): Promise<{ status: number; code: string }> {
    return waitFor(() => this.refused, { description: 'the WebSocket to be refused', limitMs: LIMIT_MS });
  }

  /** Says who it is. */
  async auth(token: string): Promise<Message> {
    await this.opened();
    const from = this.messages.length;
    this.say({ type: 'auth', token });
    return this.message('auth_ok', from);
  }

  async subscribe(events: readonly string[] = [], lastSeq?: number): Promise<Message> {
    const from = this.messages.length;
    this.say({ type: 'subscribe', events, ...(lastSeq === undefined ? {} : { last_seq: lastSeq }) });
    return this.message('subscribed', from);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.closed !== undefined) return;
    this.socket.terminate();
    await this.whenClosed();
  }
}

/** A client of /ws that has said who it is and what it wants to hear. */
export const openEventClient = async (
  url: string,
  token: string,
  events: readonly string[] = [],
  lastSeq?: number,
): Promise<EventClient> => {
  const client = new EventClient(url);
  await client.auth(token);
  await client.subscribe(events, lastSeq);
  return client;
};

export interface SocketIoWishes {
  readonly token?: string;
  readonly transports?: readonly ('websocket' | 'polling')[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client of socket.io. */
export class SocketIoClient extends Heard implements Disposable {
  readonly socket: Socket;
  error: (Error & { data?: Message }) | undefined;
  disconnected: string | undefined;

  constructor(url: string, { token, transports = ['websocket'], headers = {} }: SocketIoWishes) {
    super();
    this.socket = io(url, {
      ...(token === undefined ? {} : { auth: { token } }),
      transports: [...transports],
      extraHeaders: headers,
      reconnection: false,
      forceNew: true,
    });
    this.socket.onAny((type: string, body: Message) => this.messages.push({ ...body, type, said: body['type'] }));
    this.socket.on('connect_error', (error) => (this.error = error));
    this.socket.on('disconnect', (reason) => (this.disconnected = reason));
  }

  async subscribe(events: readonly string[] = [], lastSeq?: number): Promise<Message> {
    await this.message('auth_ok');
    return (await this.socket.emitWithAck('subscribe', { events, ...(lastSeq === undefined ? {} : { last_seq: lastSeq }) })) as Message;
  }

  whenRefused(): Promise<Error & { data?: Message }> {
    return waitFor(() => this.error, { description: 'the connection to be refused', limitMs: LIMIT_MS });
  }

  whenDisconnected(): Promise<string> {
    return waitFor(() => this.disconnected, { description: 'the connection to be closed', limitMs: LIMIT_MS });
  }

  [Symbol.dispose](): void {
    this.socket.disconnect();
  }
}
