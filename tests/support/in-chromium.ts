import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient } from '@sheaf/testkit';
import anyTest, { registerCompletionHandler, type SerialFn, type TestFn } from 'ava';
import type { Browser } from 'playwright-core';
import { launchChromium, whyNoBrowser } from './chromium.ts';
import { givenService } from './given-service.ts';
import { type RunningApi, startApi } from './running-api.ts';
import { WebPage, type WebPageOptions } from './web-page.ts';

const CLIENT = join(import.meta.dirname, '../../apps/web/dist/index.html');

/** Of what a service wrote before a test failed, in characters. */
const MOST_OUTPUT = 4_000;

/** A service that serves the client. */
interface Served {
  readonly url: string;
  /** What its processes have written. */
  readonly output?: () => string;
}

export interface InChromium<S> {
  readonly served: S;
  /** A window of its own on the client. */
  readonly open: (options?: WebPageOptions) => Promise<WebPage>;
}

let shared: Promise<Browser> | undefined;

/** The browser of this process, for all of its test files: each window has a context of its own, with its own cookies and caches. */
const sharedBrowser = (): Promise<Browser> => {
  if (shared === undefined) {
    shared = launchChromium();
    registerCompletionHandler(() => void shared?.then((browser) => browser.close()));
  }
  return shared;
};

/**
 * Tests of one file, one after the other, that share a browser and a service; skipped, with the reason, where there is no browser. What `start` puts
 * into `own` is closed at the end.
 */
export const testInChromium = <S extends Served>(start: (own: AsyncDisposableStack) => Promise<S>): SerialFn<InChromium<S>> => {
  const test = anyTest as TestFn<InChromium<S>>;
  const missing = whyNoBrowser();
  if (missing !== undefined) {
    process.stderr.write(`skipped: ${missing}\n`);
    return test.serial.skip as unknown as SerialFn<InChromium<S>>;
  }
  const resources = new AsyncDisposableStack();
  let context: InChromium<S> | undefined;
  test.before(async () => {
    if (!existsSync(CLIENT)) throw new Error('the web client is not built: run ./setup');
    const browser = await sharedBrowser();
    const served = await start(resources);
    const open = async (options?: WebPageOptions): Promise<WebPage> => {
      const page = await WebPage.open(browser, options?.url ?? served.url, options);
      // the browser stays: a window that a test leaves open must go with the file
      resources.defer(() => page.context.close());
      return page;
    };
    context = { served, open };
  });
  test.beforeEach((t) => {
    if (context === undefined) throw new Error('the service did not start');
    t.context = context;
  });
  test.afterEach.always((t) => {
    if (!t.passed) t.log(context?.served.output?.().slice(-MOST_OUTPUT) ?? '');
  });
  test.after.always(() => resources.disposeAsync());
  return test.serial;
};

export interface WholeService extends Served {
  /** Without credentials. */
  readonly anyone: ApiClient;
  readonly given: Awaited<ReturnType<typeof givenService>>;
}

/** All processes, or those that `args` name, on a database and folders of their own; no user is there yet. */
export const wholeService =
  (environment: Readonly<Record<string, string>> = {}, args: readonly string[] = []) =>
  async (own: AsyncDisposableStack): Promise<WholeService> => {
    const given = own.use(await givenService(environment, args));
    const anyone = await given.service.ready();
    return { url: anyone.url, output: () => given.service.output, anyone, given };
  };

export type ApiAlone = Served & RunningApi;

/** The api alone, in this process: quick, but documents are not read. */
export const apiAlone =
  (environment: Readonly<Record<string, string>> = {}) =>
  async (own: AsyncDisposableStack): Promise<ApiAlone> => {
    const api = own.adopt(await startApi(environment), ({ stop }) => stop());
    return { ...api, url: api.anyone.url };
  };
