import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FixedConfig, HeaderSettings } from '@sheaf/config';
import { uuidv7 } from '@sheaf/process';
import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';
import helmet, { strictTransportSecurity } from 'helmet';
import { REQUEST_ID_HEADER, type RecordRequest } from './request-log.ts';
import type { Route } from './route.ts';

const ENCODINGS = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** Done once in the life of a process, off the main thread: 1.7 MB of script become 0.39 MB in 0.3 s; the best quality (11) takes 15 s for 0.36. */
const COMPRESS: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
  identity: async (body) => body,
};

interface KeptForm {
  readonly body: Buffer;
  readonly etag: string;
}

/** The smallest form that the client takes. */
const encodingFor = (request: Request, response: Response): Encoding =>
  (isCompressible(response) ? ENCODINGS.find((encoding) => request.acceptsEncodings(encoding) !== false) : undefined) ?? 'identity';

/** A body that is the same for everybody as long as the process lives: read when it is first asked for, compressed once for each encoding, and kept. */
export class KeptBody {
  readonly #read: () => Promise<Buffer>;
  readonly #forms = new Map<Encoding, Promise<KeptForm>>();

  constructor(read: () => Promise<Buffer>) {
    this.#read = read;
  }

  /** Answers with it, or with 304 where the client has it. Type and caching are for the caller to say before. */
  async send(request: Request, response: Response): Promise<void> {
    const encoding = encodingFor(request, response);
    const { body, etag } = await this.#form(encoding);
    if (isCompressible(response)) response.vary('Accept-Encoding');
    response.setHeader('ETag', etag);
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Length', body.length);
    response.status(200).end(body);
  }

  #form(encoding: Encoding): Promise<KeptForm> {
    const kept = this.#forms.get(encoding);
    if (kept !== undefined) return kept;
    const made = this.#make(encoding);
    this.#forms.set(encoding, made);
    // what could not be read now may be read later
    made.catch(() => this.#forms.delete(encoding));
    return made;
  }

  async #make(encoding: Encoding): Promise<KeptForm> {
    const plain = await this.#read();
    // each form has a name of its own, as caches would mix them up otherwise
    const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 27);
    return { body: await COMPRESS[encoding](plain), etag: encoding === 'identity' ? `"${hash}"` : `"${hash}-${encoding}"` };
  }
}

/** Below this the answer fits one packet anyway. */
const THRESHOLD_BYTES = 1_024;

/** Text that we write. Pictures, PDF and archives are compressed already; a stream of events must not wait in a compressor. */
const COMPRESSIBLE = /^(?:application\/(?:json|javascript|samlmetadata\+xml)|text\/(?:plain|html|css|javascript)|image\/svg\+xml)(?:;|$)/i;

type Compressible = Pick<Route, 'carriesCredentials' | 'isQuery'>;

/** Keeps with the answer what its route says of compression. */
export const noteCompression = (response: Response, route: Compressible): void => {
  response.locals['compression'] = route;
};

/** What the route of the answer says; nothing for what no route answers, such as the files of the web client. */
const routeOf = (response: Response): Compressible => (response.locals['compression'] as Compressible | undefined) ?? {};

/** Answers to what changes nothing. Those that are made by a POST, such as API keys and invitations, are no answers to a question. */
const isQuestion = ({ method }: Request, { isQuery }: Compressible): boolean => method === 'GET' || isQuery === true;

/** Of somebody's file: its length and its ranges are those of the bytes as they are. */
const isFile = (response: Response): boolean =>
  response.hasHeader('Content-Disposition') || response.hasHeader('Content-Range') || response.hasHeader('Accept-Ranges');

/** Whether the answer is of a type that gets smaller. */
const isCompressible = (response: Response): boolean => COMPRESSIBLE.test(String(response.getHeader('Content-Type') ?? ''));

/**
 * Whether an answer may be compressed. Not where it has secrets: who can put text of their own beside one (a name, a query) and sees how
 * long the answer gets could guess it letter by letter (BREACH).
 */
const mayCompress = (request: Request, response: Response): boolean => {
  const route = routeOf(response);
  return isQuestion(request, route) && route.carriesCredentials !== true && !isFile(response) && isCompressible(response);
};

/**
 * Compresses answers of text from 1 kB on for clients that take brotli or gzip, and says so in Vary. The lowest level of both: a list of
 * 22 kB becomes 3.4 kB for 0.02 to 0.03 ms of a core. Level 4 makes 3.1 to 3.4 kB of it in twice the time. With 32 clients that take
 * gzip there were 1,230 lists a second instead of 1,650 (two cores that others used as well).
 */
export const compressAnswers = (): RequestHandler =>
  compression({
    threshold: THRESHOLD_BYTES,
    filter: mayCompress,
    level: 1,
    brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  });

/** What makes an answer other than that to a plain probe: a page of another origin, a proxy's word on https, an id for the log. */
const VARYING_HEADERS = ['origin', 'x-forwarded-proto', REQUEST_ID_HEADER.toLowerCase()] as const;

const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && VARYING_HEADERS.every((name) => headers[name] === undefined);

/** The bodies of routes that answer the same to everybody, by path. */
const constantBodies = (routes: readonly Route[]): ReadonlyMap<string, string> =>
  new Map(
    routes.flatMap((route) =>
      route.kind === 'json' && route.method === 'get' && route.constantAnswer !== undefined
        ? [[route.path, JSON.stringify(route.constantAnswer)]]
        : [],
    ),
  );

/**
 * Answers plain requests to routes with a constant answer at once, as their handlers do (which stay for all others), and leaves all else
 * to `app`. Liveness is one of them: it needs nobody's name, and the way through express takes three times as long as the rest.
 */
export const withConstantAnswers = (
  app: RequestListener,
  routes: readonly Route[],
  { headers, cors }: Pick<FixedConfig, 'headers' | 'cors'>,
  record: RecordRequest,
): RequestListener => {
  const bodies = constantBodies(routes);
  const constant = [
    ...constantHeaders(headers).flat(),
    ...NOT_STORED,
    'Vary',
    cors.enabled ? 'Origin, Accept-Encoding' : 'Accept-Encoding',
    'Content-Type',
    'application/json; charset=utf-8',
  ];
  const answer = (response: ServerResponse, path: string, body: string): void => {
    const startedAt = performance.now();
    const requestId = uuidv7();
    response.once('close', () => {
      record({ requestId, method: 'GET', route: path, path, status: 200, elapsedMs: performance.now() - startedAt });
    });
    response.writeHead(200, [REQUEST_ID_HEADER, requestId, ...constant, 'Content-Length', String(Buffer.byteLength(body))]);
    response.end(body);
  };
  return (request, response) => {
    const { url = '' } = request;
    const body = bodies.get(url);
    if (body !== undefined && isPlain(request)) answer(response, url, body);
    else app(request, response);
  };
};

const nothing: RequestHandler = (_request, _response, next) => next();

const transportSecurity = ({ hstsSeconds, hstsIncludeSubdomains }: HeaderSettings): RequestHandler => {
  if (hstsSeconds === 0) return nothing;
  const insist = strictTransportSecurity({ maxAge: hstsSeconds, includeSubDomains: hstsIncludeSubdomains });
  // Choice: over plain http browsers have to ignore it, so it is sent only where the connection, or a trusted proxy, is https
  return (request, response, next) => (request.secure ? insist(request, response, next) : next());
};

/** What helmet sets is the same for every request, so it is asked once. */
const headersOf = (settings: Parameters<typeof helmet>[0]): readonly (readonly [string, string])[] => {
  const headers: (readonly [string, string])[] = [];
  const response = { setHeader: (name: string, value: string) => headers.push([name, value]), removeHeader: () => {} };
  helmet(settings)({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error !== undefined) throw error as Error;
  });
  return headers;
};

/** The headers that protect browsers and are the same on every answer, each with its value. */
const constantHeaders = (settings: HeaderSettings): readonly (readonly [string, string])[] => {
  if (!settings.enabled) return [];
  const { contentSecurityPolicy, frameOptions, noSniff, referrerPolicy } = settings;
  const protecting = headersOf({
    contentSecurityPolicy: false, // ours is text, as the operator writes it
    strictTransportSecurity: false,
    xFrameOptions: frameOptions === undefined ? false : { action: frameOptions },
    xContentTypeOptions: noSniff,
    referrerPolicy: referrerPolicy === undefined ? false : { policy: referrerPolicy },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  });
  return contentSecurityPolicy === undefined ? protecting : [...protecting, ['Content-Security-Policy', contentSecurityPolicy]];
};

/** The headers that protect browsers, on every answer. A route that sets one of them by itself has the last word. */
export const securityHeaders = (settings: HeaderSettings): RequestHandler[] => {
  if (!settings.enabled) return [nothing];
  const headers = constantHeaders(settings);
  const protect: RequestHandler = (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
  return [protect, transportSecurity(settings)];
};

/** What is said to caches where a route says nothing else: answers belong to whoever asked. */
export const NOT_STORED = ['Cache-Control', 'no-store'] as const;

/** No cache keeps an answer, whatever its path, unless what makes it says which cache may. */
export const noStore = (): RequestHandler => (_request, response, next) => {
  response.setHeader(...NOT_STORED);
  next();
};
