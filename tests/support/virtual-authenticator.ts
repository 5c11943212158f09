import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebauthnAssertion, type WebauthnRegistration, webauthnAssertion, webauthnRegistration } from '@sheaf/contract/identity';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { SecurityKey } from './security-key.ts';

/** A browser on a page of `http://localhost`, with a security key. */
export class VirtualAuthenticator implements AsyncDisposable {
  readonly origin: string;
  readonly #server: Server;
  readonly #browser: Browser;
  readonly #page: Page;
  readonly key: SecurityKey;

  private constructor(parts: { server: Server; browser: Browser; page: Page; key: SecurityKey; origin: string }) {
    this.#server = parts.server;
    this.#browser = parts.browser;
    this.#page = parts.page;
    this.key = parts.key;
    this.origin = parts.origin;
  }

  static async open(): Promise<VirtualAuthenticator> {
    const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<title>passkeys</title>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    const browser = await launchChromium();
    const page = await browser.newPage();
    await page.goto(origin);
    const key = await SecurityKey.plugIn(page);
    return new VirtualAuthenticator({ server, browser, page, key, origin });
  }

  /** What the browser sends after `navigator.credentials.create()`. Rejects as the browser does. */
  async create(options: unknown): Promise<WebauthnRegistration> {
    return webauthnRegistration.parse(await this.#call('create', 'parseCreationOptionsFromJSON', options));
  }

  /** What the browser sends after `navigator.credentials.get()`. */
  async get(options: unknown): Promise<WebauthnAssertion> {
    return webauthnAssertion.parse(await this.#call('get', 'parseRequestOptionsFromJSON', options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  // As text, because the tests are checked without the types of browsers.
  #call(verb: string, parser: string, options: unknown): Promise<unknown> {
    const publicKey = `PublicKeyCredential.${parser}(${JSON.stringify(options)})`;
    return this.#page.evaluate(`navigator.credentials.${verb}({ publicKey: ${publicKey} }).then((credential) => credential.toJSON())`);
  }
}
