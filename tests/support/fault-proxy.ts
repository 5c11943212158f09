import { createServer, type IncomingMessage, request as makeRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request on its way through the proxy. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Asks the server behind, with the body as it came, or with another one of the same length. */
  readonly forward: (body?: Uint8Array) => Promise<IncomingMessage>;
}

/** What happens to a request instead of passing it on. */
export type Fault = (exchange: Exchange) => Promise<void> | void;

export interface Injection {
  readonly fault: Fault;
  /** All requests where none is given. */
  readonly when?: (request: IncomingMessage) => boolean;
  /** For ever where none is given. */
  readonly times?: number;
}

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

/** Stands before a server and spoils what is asked for. Without a fault it passes everything on as it is, the Host header included. */
export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Connections that are open now. */
  readonly connections: () => number;
  /** The last injection that fits a request is taken. */
  inject(injection: Injection): void;
  heal(): void;
}

const head = (response: ServerResponse, upstream: IncomingMessage, headers: Record<string, string> = {}): void => {
  const { connection: _connection, 'keep-alive': _keepAlive, 'transfer-encoding': _encoding, ...kept } = upstream.headers;
  response.writeHead(upstream.statusCode ?? 502, { ...kept, ...headers });
};

const pass: Fault = async ({ response, forward }) => {
  const upstream = await forward();
  head(response, upstream);
  await pipeline(upstream, response);
};

/** `Chunk`, again and again, for as long as somebody reads. */
const endlessly = function* (makeChunk: (index: number) => string | Uint8Array): Generator<string | Uint8Array> {
  for (let index = 0; ; index += 1) yield makeChunk(index);
};

const withByteChanged = (bytes: Buffer, index: number): Buffer => {
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  return bytes;
};

export const faults = {
  /** Passes it on as it is: for what only looks. */
  pass: (): Fault => pass,
  /** Answers by itself. */
  answer:
    (status: number, body: string | Uint8Array = '', headers: Record<string, string> = {}): Fault =>
    ({ response }) =>
      void response.writeHead(status, { 'content-length': String(Buffer.byteLength(body)), ...headers }).end(body),
  /** Hangs up without a word. */
  cutHeaders:
    (): Fault =>
    ({ request }) =>
      void request.socket.destroy(),
  /** Hangs up after so many bytes of the body. */
  cutBody:
    (afterBytes: number): Fault =>
    async ({ request, response, forward }) => {
      const upstream = await forward();
      head(response, upstream);
      const body = Buffer.concat(await upstream.toArray());
      response.write(body.subarray(0, afterBytes), () => request.socket.destroy());
    },
  /** Leaves out the end and announces that shorter length: an answer that is whole, and wrong. */
  shorten:
    (toBytes: number): Fault =>
    async ({ response, forward }) => {
      const upstream = await forward();
      const body = Buffer.concat(await upstream.toArray()).subarray(0, toBytes);
      head(response, upstream, { 'content-length': String(body.length) });
      response.end(body);
    },
  /** Changes one byte of the answer. */
  spoil:
    (atByte = 0): Fault =>
    async ({ response, forward }) => {
      const upstream = await forward();
      head(response, upstream);
      response.end(withByteChanged(Buffer.concat(await upstream.toArray()), atByte));
    },
  /** Changes one byte of what is sent. */
  spoilRequest:
    (atByte = 0): Fault =>
    async ({ request, response, forward }) => {
      const upstream = await forward(withByteChanged(Buffer.concat(await request.toArray()), atByte));
      head(response, upstream);
      await pipeline(upstream, response);
    },
  /** Hangs up while the request is being sent, and lets the server behind see the same. */
  cutRequest:
    (afterBytes: number): Fault =>
    async ({ request, forward }) => {
      let seen = 0;
      request.on('data', (chunk: Buffer) => {
        seen += chunk.length;
        if (seen > afterBytes) request.socket.destroy();
      });
      await forward();
    },
  /** Sends the body in small parts with a pause before each. */
  trickle:
    (partBytes: number, pauseMs: number): Fault =>
    async ({ response, forward }) => {
      const upstream = await forward();
      const body = Buffer.concat(await upstream.toArray());
      head(response, upstream);
      for (let start = 0; start < body.length; start += partBytes) {
        await sleep(pauseMs);
        response.write(body.subarray(start, start + partBytes));
      }
      response.end();
    },
  /** Sends a body of another length than the server's, and no length at all. */
  replaceBody:
    (body: string | Uint8Array): Fault =>
    async ({ response, forward }) => {
      const upstream = await forward();
      upstream.resume();
      const { 'content-length': _length, connection: _connection, ...kept } = upstream.headers;
      response.writeHead(upstream.statusCode ?? 502, kept).end(body);
    },
  /** Sends the headers, and then nothing. */
  stall:
    (): Fault =>
    async ({ response, forward }) => {
      const upstream = await forward();
      upstream.resume();
      head(response, upstream);
      response.flushHeaders();
    },
  /** Says nothing at all. */
  silence: (): Fault => () => {},
  /** A body without an end. `start` comes once, before. */
  endless:
    (status: number, headers: Record<string, string>, makeChunk: (index: number) => string | Uint8Array, start = ''): Fault =>
    async ({ response }) => {
      response.writeHead(status, headers);
      response.write(start);
      await pipeline(Readable.from(endlessly(makeChunk)), response);
    },
  redirect: (location: string, status = 302): Fault => faults.answer(status, '', { location }),
} as const;

const listening = (server: ReturnType<typeof createServer>): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

const makeForward =
  (target: URL, request: IncomingMessage) =>
  (body?: Uint8Array): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { method, url, headers } = request;
      const onward = makeRequest({ host: target.hostname, port: target.port, method, path: url, headers, agent: false }, resolve);
      onward.on('error', reject);
      request.once('close', () => {
        if (!request.complete) onward.destroy(); // the server behind is not left waiting
      });
      if (body === undefined) request.pipe(onward);
      else onward.end(body);
    });

/** A proxy before `target`, or one that only answers by its faults where there is none. */
export const openFaultProxy = async (target = 'http://127.0.0.1:1/'): Promise<FaultProxy> => {
  let injections: { fault: Fault; when: (request: IncomingMessage) => boolean; left: number }[] = [];
  const seen: SeenRequest[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    const chosen = injections.findLast(({ when, left }) => left > 0 && when(request));
    if (chosen !== undefined) chosen.left -= 1;
    const run = async (): Promise<void> => (chosen?.fault ?? pass)({ request, response, forward: makeForward(new URL(target), request) });
    run().catch(() => request.socket.destroy()); // either side hung up
  });
  server.on('connection', (socket) => {
    connections += 1;
    socket.once('close', () => (connections -= 1));
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    connections: () => connections,
    inject: ({ fault, when = () => true, times = Number.POSITIVE_INFINITY }) => void injections.push({ fault, when, left: times }),
    heal: () => {
      injections = [];
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
