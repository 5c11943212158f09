import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { errorCode } from '@sheaf/contract';
import type { RequestHandler, Response } from 'express';

const FOLDER = join(import.meta.dirname, '../../../web/dist');
const FOR_EVER = 'public, max-age=31536000, immutable';
const ONE_HOUR = 'public, max-age=3600';
/** Asked for at each use: the service worker and the manifest, which say what else is to be loaded. */
const CHECKED = 'no-cache';
const CHECKED_FILES = /^sw\.js$|\.webmanifest$/;
/** A worker obeys the policy of its own script. It loads no other and shows nothing. */
const WORKER = 'sw.js';
const WORKER_POLICY = "default-src 'none'; connect-src 'self'";
/** Where browsers send files that are shared with the installed client. Its worker takes them; what comes here came past it. */
const SHARE_TARGET = '/share-target';
const NONCE = 'STYLE_NONCE';
/** What is no page of the client, whatever a browser says it would like. */
const OTHERS = /^\/(?:api|ws|socket\.io|assets|pdfjs)(?:\/|$)/;

/**
 * Scripts and files of our own only; the style elements that the client makes while it runs carry the nonce. Pictures and PDFs
 * come as blob: addresses, the reader of PDFs decodes pictures in WebAssembly, and e-invoices are shown in a frame.
 */
const contentSecurityPolicy = (nonce: string, mayBeFramed: boolean): string =>
  [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${mayBeFramed ? "'self'" : "'none'"}`,
  ].join('; ');

/** Says express of a browser that reset its connection, before anything of the answer knows of it. */
const isAborted = (error: unknown): boolean => errorCode(error) === 'ECONNABORTED';

const sendFile = (response: Response, folder: string, { name, type, isHashed, version, encodings }: ClientFile): Promise<void> => {
  const encoding = chooseEncoding(response.req.get('Accept-Encoding'), encodings);
  response.setHeader('Content-Type', type);
  response.setHeader('Cache-Control', isHashed ? FOR_EVER : CHECKED_FILES.test(name) ? CHECKED : ONE_HOUR);
  if (name === WORKER) response.setHeader('Content-Security-Policy', WORKER_POLICY);
  response.setHeader('ETag', version);
  response.vary('Accept-Encoding');
  if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
  const path = encoding === undefined ? name : name + ENDINGS[encoding];
  return new Promise((resolve, reject) =>
    response.sendFile(path, { root: folder, cacheControl: false, acceptRanges: false, lastModified: false }, (error: unknown) => {
      if (error === undefined || response.destroyed || isAborted(error)) return resolve();
      if (response.headersSent) return reject(error);
      // it is gone from the disk: the answer that says so is no file, and not to be kept
      for (const header of ['Content-Type', 'Content-Encoding', 'ETag']) response.removeHeader(header);
      response.setHeader('Cache-Control', 'no-store');
      reject(error);
    }),
  );
};

const NOT_BUILT = 'The web client is not built. Run ./setup and restart. The API is available; see /api/docs.\n';

const sendPage = (response: Response, client: BuiltClient | undefined, mayBeFramed: boolean): void => {
  response.setHeader('Cache-Control', 'no-store');
  if (client === undefined) {
    response.status(404).type('text/plain').send(NOT_BUILT);
    return;
  }
  const nonce = randomBytes(16).toString('base64');
  response.setHeader('Content-Security-Policy', contentSecurityPolicy(nonce, mayBeFramed));
  response.status(200).type('text/html').send(client.page.replace(NONCE, nonce));
};

export interface WebClientSettings {
  /** Whether pages of this service may show it in a frame; pages of others never may. */
  readonly mayBeFramed: boolean;
  /** Where `vite build` put it. */
  readonly folder?: string;
}

/**
 * Answers with the files of the client that browsers show, and with its page wherever a browser goes that is not of the interface: which screen that
 * is, the client knows. Everything else is passed on.
 */
export const webClient = ({ mayBeFramed, folder = FOLDER }: WebClientSettings): RequestHandler => {
  const client = readBuiltClient(folder);
  return async (request, response, next) => {
    if (client !== undefined && request.method === 'POST' && request.path === SHARE_TARGET) {
      response.locals['route'] = 'web client';
      return response.redirect(303, SHARE_TARGET);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    const file = client?.files.get(request.path);
    if (client !== undefined && file !== undefined) {
      response.locals['route'] = 'web client';
      await sendFile(response, client.folder, file);
    } else if (!OTHERS.test(request.path) && request.accepts(['json', 'html']) === 'html') {
      response.locals['route'] = 'web client';
      sendPage(response, client, mayBeFramed);
    } else next();
  };
};

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.ttf': 'font/ttf',
  '.pfb': 'application/octet-stream',
  '.bcmap': 'application/octet-stream',
  '.icc': 'application/octet-stream',
};

interface ClientFile {
  /** Below the folder of the build. */
  readonly name: string;
  readonly type: string;
  /** Whether its name changes with its content, so that it may be kept for ever. */
  readonly isHashed: boolean;
  /** Tells whether it is still the same. */
  readonly version: string;
  /** In which it lies ready beside itself. */
  readonly encodings: readonly Encoding[];
}

interface BuiltClient {
  readonly folder: string;
  readonly page: string;
  /** By address. */
  readonly files: ReadonlyMap<string, ClientFile>;
}

/** What the copy of a file in an encoding ends with. */
const ENDINGS: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

const versionOf = (path: string): string => {
  const { size, mtimeMs } = statSync(path);
  return `W/"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
};

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));

/** What `vite build` left in `folder`; undefined where it was not run. */
const readBuiltClient = (folder: string): BuiltClient | undefined => {
  let names: Set<string>;
  let page: string;
  try {
    names = new Set(listFiles(folder));
    page = readFileSync(join(folder, 'index.html'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const files = [...names].flatMap((name): [string, ClientFile][] => {
    const type = TYPES[extname(name)];
    if (type === undefined) return []; // the page itself, and the compressed copies
    const file = {
      name,
      type,
      isHashed: name.startsWith('assets/'),
      version: versionOf(join(folder, name)),
      encodings: ENCODINGS.filter((encoding) => names.has(name + ENDINGS[encoding])),
    };
    return [[`/${name}`, file]];
  });
  return { folder, page, files: new Map(files) };
};

/** Those in which files of the client lie ready, the smallest first. */
const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

interface AcceptedEncoding {
  readonly name: string;
  readonly quality: number;
}

const toAcceptedEncoding = (part: string): AcceptedEncoding => {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
  const quality = parameters.find((text) => text.startsWith('q='))?.slice('q='.length);
  return { name, quality: quality === undefined ? 1 : Number(quality) || 0 };
};

/**
 * The encoding of `ready` that a client takes best, by its Accept-Encoding; undefined for the file as it is. Where it takes several equally, as all
 * browsers do, the smallest file is sent: the order in which they are named has no meaning (RFC 9110, 12.5.3).
 */
const chooseEncoding = (accepted: string | undefined, ready: readonly Encoding[]): Encoding | undefined => {
  const acceptedEncodings = (accepted ?? '').split(',').map(toAcceptedEncoding);
  const qualityOf = (name: string): number | undefined =>
    (acceptedEncodings.find((candidate) => candidate.name === name) ?? acceptedEncodings.find((candidate) => candidate.name === '*'))
      ?.quality;
  const plain = acceptedEncodings.find(({ name }) => name === 'identity')?.quality ?? 0; // taken always, wished for only where it is named
  return ENCODINGS.filter((name) => ready.includes(name))
    .map((name) => ({ name, quality: qualityOf(name) ?? 0 }))
    .filter(({ quality }) => quality > 0 && quality >= plain)
    .toSorted((a, b) => b.quality - a.quality)[0]?.name;
};
