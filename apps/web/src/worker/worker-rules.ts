/** What `build-worker.ts` writes into the worker: the files of the client that start it, and a name that changes with every build. */
export interface Shell {
  readonly version: string;
  /** The script that the page starts with; it names the build that a page is of. */
  readonly entry: string;
  /** Addresses of everything that the client needs to start, except its page. */
  readonly files: readonly string[];
}

/** Where systems send what is shared with the installed client, and where the client shows it. */
export const SHARE_TARGET = '/share-target';

const PREFIX = 'sheaf-shell-';

/** The cache of one build. */
export const shellCacheName = ({ version }: Pick<Shell, 'version'>): string => `${PREFIX}${version}`;

/** Of all caches, those of other builds. */
export const staleCaches = (names: readonly string[], shell: Pick<Shell, 'version'>): readonly string[] =>
  names.filter((name) => name.startsWith(PREFIX) && name !== shellCacheName(shell));

/** Answers of the service, downloads among them, other sites of it, and pages for people without an account: none of it is the client's. */
const NO_SCREEN = /^\/(?:api|assets|docs|health|metrics|paperless|pdfjs|ready|s|socket\.io|status|ws)(?:\/|$)/;

/** `network`: the worker leaves the request alone. */
export type Handling = 'screen' | 'shell-file' | 'shared-files' | 'network';

/** What the worker does with a request. Only the client's page and the files that start it are ever answered from a cache. */
export const handlingOf = (
  { method, mode, url }: Pick<Request, 'method' | 'mode' | 'url'>,
  { files }: Pick<Shell, 'files'>,
  ownOrigin: string,
): Handling => {
  const { origin, pathname, search } = new URL(url);
  if (origin !== ownOrigin) return 'network';
  if (method === 'POST') return mode === 'navigate' && pathname === SHARE_TARGET ? 'shared-files' : 'network';
  if (method !== 'GET') return 'network';
  if (mode === 'navigate') return NO_SCREEN.test(pathname) ? 'network' : 'screen';
  return search === '' && files.includes(pathname) ? 'shell-file' : 'network';
};

/** Whether a page is of the worker's own build: while a service is upgraded, its hosts may answer with different ones. */
export const isOfBuild = (page: string, { entry }: Pick<Shell, 'entry'>): boolean => page.includes(`"${entry}"`);
