// The service worker. It keeps what starts the client, for when the service cannot be reached, and takes files that other apps share. Nothing that the
// service answers about documents or people is kept.
import { keepSharedFiles, listSharedFiles } from './shared-files.ts';
import { handlingOf, isOfBuild, SHARE_TARGET, type Shell, shellCacheName, staleCaches } from './worker-rules.ts';

/** What this worker uses of a ServiceWorkerGlobalScope: TypeScript's library of workers cannot stand beside the one of pages. */
interface WorkerScope {
  readonly location: { readonly origin: string };
  readonly caches: CacheStorage;
  readonly clients: { readonly claim: () => Promise<void> };
  readonly registration: { readonly navigationPreload?: { readonly enable: () => Promise<void> } };
  readonly skipWaiting: () => Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
}

interface ExtendableEvent {
  readonly waitUntil: (work: Promise<unknown>) => void;
}

interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  /** The answer to a navigation that the browser asked for while the worker started. */
  readonly preloadResponse: Promise<Response | undefined>;
  readonly respondWith: (response: Promise<Response>) => void;
}

/** Written here by build-worker.ts. */
declare const SHELL: Shell;
const shell = SHELL;
const scope = globalThis as unknown as WorkerScope;
const { caches } = scope;

/** The page is the same for everybody. */
const PAGE = '/';

const keepShell = async (): Promise<void> => {
  const name = shellCacheName(shell);
  try {
    const cache = await caches.open(name);
    const page = await fetch(PAGE, { cache: 'no-store', headers: { Accept: 'text/html' } });
    if (!page.ok || page.redirected || !isOfBuild(await page.clone().text(), shell)) throw new Error('The page is not of this build');
    await cache.put(PAGE, page);
    await cache.addAll([...shell.files]);
  } catch (error) {
    await caches.delete(name); // the browser tries again at the next visit; until then the worker before stays
    throw error;
  }
};

const removeOld = async (): Promise<void> => {
  await Promise.all(staleCaches(await caches.keys(), shell).map((name) => caches.delete(name)));
  await listSharedFiles();
};

const openScreen = async ({ request, preloadResponse }: FetchEvent): Promise<Response> => {
  try {
    return (await preloadResponse) ?? (await fetch(request));
  } catch (error) {
    const page = await (await caches.open(shellCacheName(shell))).match(PAGE, { ignoreVary: true });
    if (page === undefined) throw error;
    return page;
  }
};

const sendShellFile = async (request: Request): Promise<Response> => {
  const cache = await caches.open(shellCacheName(shell));
  return (await cache.match(request.url, { ignoreVary: true })) ?? fetch(request);
};

/** Any page can have a browser send this form: the files wait until the user says that they are to be uploaded. */
const takeShared = async (request: Request): Promise<Response> => {
  const form = await request.formData().catch(() => new FormData()); // no form of files: the screen says that there are none
  const leftOut = await keepSharedFiles(form.getAll('files').filter((value) => value instanceof File));
  return Response.redirect(leftOut === 0 ? SHARE_TARGET : `${SHARE_TARGET}?left_out=${leftOut}`, 303);
};

// a new build takes over at once: pages that are open ask it for nothing that it does not have
scope.addEventListener('install', (event) => event.waitUntil(keepShell().then(() => scope.skipWaiting())));
scope.addEventListener('activate', (event) =>
  event.waitUntil(Promise.all([removeOld(), scope.registration.navigationPreload?.enable()]).then(() => scope.clients.claim())),
);
scope.addEventListener('fetch', (event) => {
  switch (handlingOf(event.request, shell, scope.location.origin)) {
    case 'screen':
      event.respondWith(openScreen(event));
      break;
    case 'shell-file':
      event.respondWith(sendShellFile(event.request));
      break;
    case 'shared-files':
      event.respondWith(takeShared(event.request));
      break;
    default:
  }
});
