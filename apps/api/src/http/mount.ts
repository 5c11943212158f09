import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FixedConfig } from '@sheaf/config';
import { type AppError, reasonedError, requestTimeout, stripEnd, validationError } from '@sheaf/contract';
import { type Db, type Deadline, withinDeadline } from '@sheaf/db';
import type { Tracer } from '@sheaf/process/tracing';
import { ACTIONS } from '@sheaf/vocabulary/permissions';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { readDeviceCookie } from '../auth/answer-sign-in.ts';
import { noteCompression } from './answer-headers.ts';
import { type Authenticator, admit } from './authenticate.ts';
import { addressOf, setDeprecationHeaders } from './offered-routes.ts';
import {
  type BodilessInput,
  givenParameters,
  parseInput,
  parseParams,
  presentOf,
  sendAnswer,
  withoutReadOnly,
  withPrecondition,
  withRowLimit,
} from './parse-input.ts';
import type { RateLimit } from './rate-limit.ts';
import type { ReadDatabase } from './read-database.ts';
import { inRequestSpan, requestIdOf } from './request-log.ts';
import { clientAddress, isLoopbackHost } from './request-origin.ts';
import type { Access, RequestContext, Route } from './route.ts';
import { readUploadForm } from './upload-form.ts';

/** Of who need not have signed in. */
const STRANGERS_BODY_LIMIT_BYTES = 1024 * 1024;

const readWhole = async (body: Readable, limitBytes: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw reasonedError('VALIDATION_ERROR', 'too_large', { max_bytes: limitBytes });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const NOTHING = z.strictObject({});

/** What a request passes on its way to the handler of its route. */
export interface MountParts {
  readonly authenticator: Authenticator;
  readonly rateLimit: Pick<RateLimit, 'admit'>;
  readonly reads: Pick<ReadDatabase, 'answer' | 'noteBeforeAnswer' | 'primary'>;
  readonly tracer: Tracer;
  readonly config: Pick<FixedConfig, 'server' | 'sessions'>;
}

/** Found out when a handler asks: few want to know. */
const contextOf = (
  request: Request,
  response: Response,
  deadline: RequestDeadline,
  { config: { sessions }, reads }: Pick<MountParts, 'config' | 'reads'>,
): RequestContext => ({
  id: requestIdOf(response),
  get address() {
    return clientAddress(request);
  },
  headers: request.headers,
  get connection() {
    const device = readDeviceCookie(request.headers.cookie, sessions.cookie, request.secure);
    return { isSecure: request.secure, isLocal: isLocalRequest(request), device };
  },
  db: reads.primary,
  setCookie: (line) => response.append('Set-Cookie', line),
  get signal() {
    return deadline.signal;
  },
  requireMatch: async () => {},
});

const withDatabase = (context: RequestContext, db: Db): RequestContext => Object.create(context, { db: { value: db } }) as RequestContext;

const changes = ({ method, isQuery }: Route): boolean => method !== 'get' && isQuery !== true;

/** The body of the form field `file`, which is JSON as a body would be. */
const readBodyFile = async (request: Request, limitBytes: number): Promise<unknown> => {
  const bytes = await readUploadForm(request, { maxFileBytes: limitBytes }, ({ body }) => readWhole(body, limitBytes));
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw validationError('The file is not valid JSON.');
  }
};

type ReadBody = (request: Request, response: Response) => Promise<unknown>;

/** Reads the JSON body of a route, which is done only after the caller was let in. */
const makeReadBody = (route: Route, { jsonBodyLimitBytes }: FixedConfig['server']): ReadBody => {
  const isForStrangers = route.access === 'anyone' || route.access === 'anyone-known';
  const limit = isForStrangers ? Math.min(jsonBodyLimitBytes, STRANGERS_BODY_LIMIT_BYTES) : jsonBodyLimitBytes;
  const readJson = express.json({ limit, strict: false });
  const takesFile = route.kind === 'json' && route.takesBodyFile === true;
  return async (request, response) =>
    takesFile && request.is('multipart/form-data') !== false ? readBodyFile(request, limit) : readJsonBody(readJson, request, response);
};

const readJsonBody = async (readJson: RequestHandler, request: Request, response: Response): Promise<unknown> => {
  const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody) return undefined;
  if (request.is('application/json') === false)
    throw validationError('Send the body as application/json.', { content_type: request.get('content-type') ?? null });
  await new Promise<void>(
    (resolve, reject) => void readJson(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error))),
  );
  return request.body as unknown;
};

/** The body as its schema reads it. */
const givenBody = async (route: Route, text: unknown, common: BodilessInput, response: Response): Promise<unknown> => {
  const given = withRowLimit(text, response);
  const present = presentOf(route, common);
  return present === undefined ? given : withoutReadOnly(given, route, () => present(common.context.db));
};

interface HandleParts extends MountParts {
  readonly readBody: ReadBody;
}

const handle =
  (route: Route, parts: HandleParts, request: Request, response: Response, deadline: RequestDeadline) => async (): Promise<void> => {
    const caller = route.access === 'anyone' ? undefined : await parts.authenticator.authenticate(request);
    response.locals['user'] = caller?.username;
    if (route.isProbe !== true) await parts.rateLimit.admit(route.countsAs ?? 'request', caller, request, response);
    if (caller !== undefined) parts.authenticator.requireOwnPage(request, caller);
    const principal = admit(route, caller, request.params);
    if (principal !== undefined) route.requires?.(principal);
    if (changes(route)) parts.reads.noteBeforeAnswer(request, response);
    const params = route.params === undefined ? undefined : parseParams(route.params, request.params);
    const query = parseInput(route.query ?? NOTHING, givenParameters(request, response), 'query');
    const given: BodilessInput = {
      params,
      query: route.query === undefined ? undefined : query,
      principal,
      context: contextOf(request, response, deadline, parts),
    };
    const common = await withPrecondition(route, given, { request, response });
    const readText = (): Promise<unknown> => deadline.whileReading(() => parts.readBody(request, response));
    if (route.kind === 'stream') {
      if (route.content?.form !== undefined) deadline.keepPace(request, parts.config.server.uploadPace);
      const isForm = route.content?.form !== undefined && request.is('multipart/form-data') !== false;
      const body = isForm ? undefined : route.body && parseInput(route.body, withRowLimit(await readText(), response), 'body');
      await route.stream({ ...common, body } as never, { request, response });
      return;
    }
    const text = route.body === undefined ? undefined : await readText();
    if (route.mayTakeLong === true) deadline.liftForLongWork(request);
    const body =
      route.body === undefined
        ? undefined
        : parseInput(route.body, await givenBody(route, text, common, response), 'body', route.alsoWrong);
    const answer =
      route.mayReadReplica === true
        ? await parts.reads.answer(request, (db) => route.handle({ ...common, body, context: withDatabase(common.context, db) } as never))
        : await route.handle({ ...common, body } as never);
    if (deadline.over !== undefined) return; // it was answered
    sendAnswer(route, answer, { request, response });
  };

const handlerOf = (route: Route, parts: MountParts): RequestHandler => {
  const own = { ...parts, readBody: makeReadBody(route, parts.config.server) };
  return (request, response) => {
    const deadline = new RequestDeadline(parts.config.server.requestTimeoutMs, response);
    return deadline.run(handle(route, own, request, response, deadline));
  };
};

const isDeclared = (access: unknown): access is Access =>
  ['anyone', 'anyone-known', 'signed-in', 'session', ...ACTIONS].some((declared) => declared === access);

/** The first segments of a path: /api/documents of /api/documents/{id}/pages. A slash at their end is as if it were not there. */
const beginningOf = (path: string, segments: 1 | 2 = 2): string => stripEnd(path.split('/', segments + 1).join('/'), '/');

/**
 * A handler for every route of `routes`. Throws at start when one does not say who may call it, or stands twice. Those that begin alike
 * have an express router together: one router tries its hundred routes in turn, which takes as long as all else that is done for
 * a small answer.
 */
export const mountRoutes = (routes: readonly Route[], parts: MountParts): RequestHandler => {
  const routers = new Map<string, Router>();
  const seen = new Set<string>();
  for (const route of routes) {
    const address = addressOf(route);
    const name = `${route.method} ${address}`;
    if (!isDeclared(route.access)) throw new Error(`Route ${name} does not declare its access`);
    if (seen.has(name)) throw new Error(`Route ${name} is declared twice`);
    seen.add(name);
    const handler = handlerOf(route, parts);
    const beginning = beginningOf(address).includes('{') ? beginningOf(address, 1) : beginningOf(address);
    if (beginning.includes('{')) throw new Error(`Route ${name} has a parameter in its first segment`);
    const router = routers.get(beginning) ?? Router({ caseSensitive: true });
    routers.set(beginning, router);
    router[route.method](address.replaceAll(/\{(\w+)\}/g, ':$1'), (request, response, next) => {
      response.locals['route'] = address;
      noteCompression(response, route);
      if (route.isDeprecated === true) setDeprecationHeaders(response, address);
      return inRequestSpan(route, parts.tracer, request, response, () => handler(request, response, next));
    });
  }
  return (request, response, next) => {
    const router = routers.get(beginningOf(request.path)) ?? routers.get(beginningOf(request.path, 1));
    if (router === undefined) next();
    else router(request, response, next);
  };
};

/** What proxies write to tell for whom they ask. */
const FORWARDING = /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|x-original-.*|true-client-ip|cf-.*|fly-.*)$/;

const isLoopbackAddress = (address: string): boolean => ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/** What is looked at of a request. */
interface Arrival {
  readonly httpVersion: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * Whether a program of this machine sent the request, and for itself: its connection comes from loopback, it asks for loopback, and
 * nothing tells that it passes on what somebody else asked. No setting about proxies makes a request local. HTTP/1.0 is what nginx
 * speaks to what it stands before when nothing is configured, without any such header.
 */
export const isLocalRequest = ({ httpVersion, headers, socket }: Arrival): boolean =>
  httpVersion !== '1.0' &&
  isLoopbackAddress(socket.remoteAddress ?? '') &&
  isLoopbackHost(headers.host ?? '') &&
  !Object.keys(headers).some((name) => FORWARDING.test(name));

const PROBE_AFTER_MS = 60_000;

const limitOf = (limitMs: number) => ({ limit_seconds: limitMs / 1_000 });

/**
 * The time that a request has (REQUEST_TIMEOUT). When it is over the answer is an error, `signal` aborts, and what the work still asks
 * of the database is refused, so that nothing more comes of it. The statement under way is ended by the server itself
 * (statement_timeout of the api's pool, the same time): that needs no second connection, which there may not be when everything
 * is slow, and holds when this process is gone. So no work outlives its answer by more than one statement.
 */
class RequestDeadline implements Deadline {
  readonly #limitMs: number;
  readonly #response: Response;
  /** Made when somebody asks for its signal: most answers are done before anyone would look at it. */
  #ended: AbortController | undefined;
  #isClosed = false;
  readonly #expired = Promise.withResolvers<never>();
  #timer: NodeJS.Timeout | undefined;
  #over: AppError | undefined;
  #isDone = false;

  constructor(limitMs: number, response: Response) {
    this.#limitMs = limitMs;
    this.#response = response;
    response.once('close', () => {
      this.lift();
      this.#isClosed = true;
      this.#ended?.abort();
    });
  }

  /** Undefined again when the work has ended: what it left behind, such as a connection that is kept, is not its own any more. */
  get over(): AppError | undefined {
    return this.#isDone ? undefined : this.#over;
  }

  /** Aborted when the client is gone or the time is over. */
  get signal(): AbortSignal {
    if (this.#ended === undefined) {
      this.#ended = new AbortController();
      if (this.#over !== undefined) this.#ended.abort(this.#over);
      else if (this.#isClosed) this.#ended.abort();
    }
    return this.#ended.signal;
  }

  /** Does `work`, or rejects with what `over` says when the time is over before. */
  run(work: () => Promise<void>): Promise<void> {
    this.#begin(requestTimeout);
    const working = withinDeadline(this, work).finally(() => {
      this.#isDone = true;
    });
    return Promise.race([working, this.#expired.promise]).finally(() => this.lift());
  }

  /** Waits for what the client sends, for which it has the same time once more: being slow is its own mistake then. */
  async whileReading<T>(read: () => Promise<T>): Promise<T> {
    this.#begin(() => this.#tooSlow(validationError('The request body was not received in time.', limitOf(this.#limitMs))));
    const body = await read();
    this.#begin(requestTimeout);
    return body;
  }

  /** Takes the limit away, for what may take long as long as bytes flow. */
  lift(): void {
    clearTimeout(this.#timer);
  }

  /**
   * Takes the limit away for work that may take long before the first byte of its answer, and with it the one of a connection on which nothing moves.
   * Node sets that one again for the next request. A client that vanished is noticed by probes of TCP.
   */
  liftForLongWork({ socket }: Request): void {
    this.lift();
    socket.setTimeout(0);
    socket.setKeepAlive(true, PROBE_AFTER_MS);
  }

  /** Takes the limit away for an upload, whose bytes have to keep pace instead. */
  keepPace(request: Request, pace: BodyPace): void {
    this.lift();
    watchPace(request, pace, () =>
      this.#end(() => this.#tooSlow(reasonedError('VALIDATION_ERROR', 'upload_too_slow', limitOf(pace.windowMs)))),
    );
  }

  #tooSlow(error: AppError): AppError {
    this.#response.shouldKeepAlive = false; // the rest of the body is not waited for
    return error;
  }

  #begin(makeError: () => AppError): void {
    if (this.#over !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(makeError), this.#limitMs);
  }

  #end(makeError: () => AppError): void {
    // half an answer is out: its bytes flow, or the limit of the connection ends it
    if (this.#over !== undefined || this.#response.headersSent) return;
    this.#over = makeError();
    this.#ended?.abort(this.#over);
    this.#expired.reject(this.#over);
  }
}

/** How fast the body of an upload has to arrive. */
interface BodyPace {
  /** The time over which bytes are counted; a pause may be as long. UPLOAD_IDLE_TIMEOUT. */
  readonly windowMs: number;
  /** UPLOAD_MIN_BYTES_PER_SECOND. */
  readonly minBytesPerSecond: number;
}

/**
 * Calls `onSlow`, once, when fewer bytes arrive within a window than the pace asks for. While bytes that have arrived wait to be
 * processed here, the sender is not to blame. Returns a function that ends the watch; so does the end of the body.
 */
const watchPace = (request: IncomingMessage, { windowMs, minBytesPerSecond }: BodyPace, onSlow: () => void): (() => void) => {
  const neededBytes = Math.max(1, (minBytesPerSecond * windowMs) / 1_000);
  let bytesBefore = request.socket.bytesRead;
  const timer = setInterval(() => {
    const arrived = request.socket.bytesRead - bytesBefore;
    bytesBefore += arrived;
    if (request.complete) return stop();
    if (arrived >= neededBytes || request.readableLength > 0) return;
    stop();
    onSlow();
  }, windowMs);
  const stop = (): void => {
    clearInterval(timer);
    request.off('close', stop);
  };
  request.once('close', stop);
  return stop;
};
