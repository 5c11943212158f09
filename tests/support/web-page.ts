import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { waitFor } from './wait-for.ts';

/** Git ignores it. */
const SCREENSHOTS = join(import.meta.dirname, '../screenshots');
/** Pictures are for people: no test looks at them. */
const TAKES_SCREENSHOTS = process.env['TEST_SCREENSHOTS'] === 'yes';

export const SIZES = { desktop: { width: 1_280, height: 800 }, telephone: { width: 390, height: 844 } } as const;
export type Size = keyof typeof SIZES;

interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface WebPageOptions {
  readonly size?: Size;
  readonly language?: string;
  readonly dark?: boolean;
  /** Whether the client's service worker may be installed. Requests that one answers cannot be held back or counted by a test. */
  readonly serviceWorker?: boolean;
  /** Where the client is served, if not by the test's own service. */
  readonly url?: string;
  /** Origins that the client may lead to, such as an identity provider's. What their pages do is theirs, but they reach nobody else. */
  readonly elsewhere?: readonly string[];
}

/** What a browser tells that nobody asked for and no page of ours may do. */
const EXPECTED_MESSAGE =
  /Failed to load resource: the server responded with a status of (?:4\d\d|503)|net::ERR_(?:INTERNET_DISCONNECTED|CONNECTION_REFUSED|CONNECTION_RESET|FILE_NOT_FOUND)|WebSocket connection to/;

/** The builder sends axe before each look, twice; a page that has it gets this in its place. */
const NO_SOURCE = 'undefined';
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const QUIET_MS = 150;
const MOST_HTML = 160;
const MOST_TEXT = 1_000;
const MOST_LINES = 20;
const ANSWER_LIMIT_MS = 10_000;

/** A browser window on the web client. It notes whatever a page must never do: errors, dialogs, requests elsewhere. */
export class WebPage implements AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly size: Size;
  readonly #url: string;
  readonly #offences: string[] = [];
  /** Since when each request that has no answer yet is under way. */
  readonly #pending = new Map<Request, number>();
  readonly #failed: string[] = [];
  readonly #console: string[] = [];
  #quietSince = 0;

  private constructor(context: BrowserContext, page: Page, url: string, size: Size, elsewhere: readonly string[]) {
    this.context = context;
    this.page = page;
    this.size = size;
    this.#url = url;
    const isElsewhere = (address: string): boolean => URL.canParse(address) && elsewhere.includes(new URL(address).origin);
    page.on('pageerror', (error) => {
      if (!isElsewhere(page.url())) this.#offences.push(`error: ${error.message}`);
    });
    page.on('console', (message) => {
      this.#console.push(`${message.type()}: ${message.text()}`);
      if (message.type() === 'error' && !EXPECTED_MESSAGE.test(message.text()) && !isElsewhere(page.url()))
        this.#offences.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on('dialog', (dialog) => {
      if (dialog.type() !== 'beforeunload') this.#offences.push(`dialog: ${dialog.message()}`);
      void dialog.accept();
    });
    context.on('request', (request) => {
      this.#pending.set(request, performance.now());
      const { protocol, origin } = new URL(request.url());
      const isTheirs =
        isElsewhere(request.url()) ||
        (request.serviceWorker() === null && !request.isNavigationRequest() && isElsewhere(request.frame().url()));
      if (protocol.startsWith('http') && origin !== new URL(url).origin && !isTheirs)
        this.#offences.push(`request elsewhere: ${request.url()}`);
    });
    const settled = (request: Request): void => {
      this.#pending.delete(request);
      this.#quietSince = performance.now();
    };
    context.on('requestfinished', settled);
    context.on('requestfailed', (request) => {
      settled(request);
      this.#failed.push(`${request.method()} ${request.url()} ${request.failure()?.errorText ?? ''}`);
    });
  }

  /** A window with cookies of its own. */
  static async open(
    browser: Browser,
    url: string,
    { size = 'desktop', language = 'en', dark = false, serviceWorker = false, elsewhere = [] }: WebPageOptions = {},
  ): Promise<WebPage> {
    const context = await browser.newContext({
      baseURL: url,
      viewport: SIZES[size],
      hasTouch: size === 'telephone',
      isMobile: size === 'telephone',
      locale: language,
      colorScheme: dark ? 'dark' : 'light',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
      serviceWorkers: serviceWorker ? 'allow' : 'block',
    });
    context.setDefaultTimeout(120_000); // a busy machine has other tests to run
    if (elsewhere.length > 0) {
      const reachable = [new URL(url).origin, ...elsewhere];
      await context.route(
        ({ protocol, origin }) => protocol.startsWith('http') && !reachable.includes(origin),
        (route) => route.abort(),
      );
    }
    return new WebPage(context, await context.newPage(), url, size, elsewhere);
  }

  /** What it did that no page of ours may do. */
  get offences(): readonly string[] {
    return this.#offences;
  }

  /** Signs in without the form. */
  async signIn({ username, password }: Credentials): Promise<void> {
    const response = await this.context.request.post('/api/auth/login', { data: { username, password, cookie: true } });
    if (!response.ok()) throw new Error(`cannot sign in as ${username}: ${response.status()} ${await response.text()}`);
  }

  /** Goes to a screen and waits until it is there. */
  async go(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.#url).href);
    await this.#untilHeading(path);
  }

  async #untilHeading(path: string): Promise<void> {
    try {
      await this.page.getByRole('heading', { level: 1 }).first().waitFor();
    } catch (error) {
      throw new Error(`${path} has no heading; ${await this.#describe()}`, { cause: error });
    }
  }

  /** What tells why the page shows nothing: its state and markup, requests without an answer with their age, those that failed, the console. */
  async #describe(): Promise<string> {
    const pending = [...this.#pending].map(
      ([request, since]) => `${request.method()} ${request.url()} ${Math.round(performance.now() - since)} ms`,
    );
    const limit = new Promise<string>((resolve) => setTimeout(resolve, ANSWER_LIMIT_MS, 'the page does not answer'));
    const state = this.page
      .evaluate<string>(
        `JSON.stringify({ readyState: document.readyState, visibility: document.visibilityState, isOnline: navigator.onLine,
          seen: document.body?.innerText.slice(0, ${MOST_TEXT}), root: document.querySelector('#root')?.outerHTML.replace(/<style.*?<\\/style>/gs, '').slice(0, ${MOST_TEXT}) })`,
      )
      .catch(String);
    return [
      `page ${await Promise.race([state, limit])}`,
      `pending [${pending.join(', ')}]`,
      `failed [${this.#failed.slice(-MOST_LINES).join(', ')}]`,
      `console [${this.#console.slice(-MOST_LINES).join(' | ')}]`,
      `offences [${this.#offences.join('; ')}]`,
    ].join('; ');
  }

  /** Goes to another screen as a link does, without loading the client again, and waits until it stands still. */
  async walk(path: string): Promise<void> {
    await this.page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
    await this.settle();
  }

  /** Waits until nothing is loaded any more. */
  async settle(): Promise<void> {
    this.#quietSince = performance.now();
    await waitFor(
      async () =>
        this.#pending.size === 0 &&
        performance.now() - this.#quietSince > QUIET_MS &&
        (await this.page.locator('.mantine-Skeleton-root:visible, [aria-busy=true]:visible').count()) === 0 &&
        (await this.page.getByRole('heading', { level: 1 }).count()) > 0,
      { description: () => `the screen ${this.page.url()} to stand still`, limitMs: 30_000, everyMs: 50 },
    );
  }

  /** Waits until the client's service worker answers for the page. */
  async untilControlled(): Promise<void> {
    await waitFor(() => this.page.evaluate<boolean>('navigator.serviceWorker?.controller?.state === "activated"'), {
      description: 'the worker to be active',
      limitMs: 60_000,
      everyMs: 100,
    });
  }

  /** What axe finds on the screen as it is, each with the elements; empty when all is well. */
  async axe(look: 'all' | 'contrast' = 'all'): Promise<string[]> {
    const { page } = this;
    const hasAxe = await page.evaluate("'axe' in globalThis");
    const builder = new AxeBuilder(hasAxe ? { page, axeSource: NO_SOURCE } : { page })
      .setLegacyMode() // the client has no frames; without it each look opens a window
      .options({ resultTypes: ['violations'] });
    const { violations } = await (look === 'all' ? builder.withTags(RULES) : builder.withRules('color-contrast')).analyze();
    return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html.slice(0, MOST_HTML)).join(' | ')})`);
  }

  /** Whether the page itself can be scrolled sideways, which none should. */
  async scrollsSideways(): Promise<boolean> {
    return this.page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth + 1');
  }

  /** The words of buttons whose letters are cut off. */
  async cutButtons(): Promise<string[]> {
    return this.page
      .locator('.mantine-Button-label')
      .evaluateAll((labels: { scrollHeight: number; clientHeight: number; textContent: string }[]) =>
        labels.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight).map(({ textContent }) => textContent),
      );
  }

  /** Everything that is wrong with the screen as it is, each with `name`; empty when all is well. Leaves a picture of it. */
  async flaws(name: string, look: 'all' | 'but axe' = 'all'): Promise<string[]> {
    await this.shoot(name);
    const isTooWide = await this.scrollsSideways();
    const cut = (await this.cutButtons()).map((words) => `the button "${words}" is cut off`);
    const flaws = [
      ...this.#offences.splice(0),
      ...cut,
      ...(look === 'all' ? await this.axe() : []),
      ...(isTooWide ? ['it scrolls sideways'] : []),
    ];
    return flaws.map((flaw) => `${name}, ${this.size}: ${flaw}`);
  }

  /** The same of its dark colours, which may have too little contrast; then it is light again. */
  async flawsInTheDark(name: string): Promise<string[]> {
    await this.page.emulateMedia({ colorScheme: 'dark' });
    await this.page.locator('[data-mantine-color-scheme=dark]').waitFor();
    await this.shoot(`${name}-dark`);
    const flaws = await this.axe('contrast');
    await this.page.emulateMedia({ colorScheme: 'light' });
    return flaws.map((flaw) => `${name}, dark, ${this.size}: ${flaw}`);
  }

  /** Writes what is seen into the folder of screenshots, where somebody wants to look at it. */
  async shoot(name: string): Promise<void> {
    if (!TAKES_SCREENSHOTS) return;
    await mkdir(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}-${this.size}.png`) });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.context.close();
  }
}
