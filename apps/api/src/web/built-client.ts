import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ENCODINGS, type Encoding } from './encoding.ts';

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

export interface ClientFile {
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

export interface BuiltClient {
  readonly folder: string;
  readonly page: string;
  /** By address. */
  readonly files: ReadonlyMap<string, ClientFile>;
}

/** What the copy of a file in an encoding ends with. */
export const ENDINGS: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

const versionOf = (path: string): string => {
  const { size, mtimeMs } = statSync(path);
  return `W/"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
};

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));

/** What `vite build` left in `folder`; undefined where it was not run. */
export const readBuiltClient = (folder: string): BuiltClient | undefined => {
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
