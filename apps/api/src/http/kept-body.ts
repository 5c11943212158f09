import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';
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
