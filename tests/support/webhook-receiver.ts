import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedWebhook {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

/** How one request is answered; not answering is a way too. */
export type WebhookAnswer = (response: ServerResponse) => void;

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  /** Every request, whatever it was answered. */
  readonly received: readonly ReceivedWebhook[];
  /** Connections that are open now. */
  connections(): Promise<number>;
  /** How all requests are answered from now on; the first ones in turn by `first`. */
  answer(then: WebhookAnswer, ...first: readonly WebhookAnswer[]): void;
}

export const answers = {
  status:
    (status: number, headers: Readonly<Record<string, string>> = {}): WebhookAnswer =>
    (response) => {
      response.writeHead(status, headers).end('thank you');
    },
  /** Takes the request and says nothing. */
  nothing: (): void => {},
  cutOff: (response: ServerResponse): void => {
    response.destroy();
  },
  /** Says that all is well, and goes on talking for ever. */
  endlessly: (response: ServerResponse): void => {
    response.writeHead(200);
    const talk = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) continue;
      if (!response.destroyed) response.once('drain', talk);
    };
    talk();
  },
};

/** A server of somebody who wants webhooks. */
export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  const received: ReceivedWebhook[] = [];
  let always: WebhookAnswer = answers.status(204);
  let first: WebhookAnswer[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => {}); // whoever goes away in the middle is a case of its own
    const take = async (): Promise<void> => {
      const body = await text(request);
      received.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body, atMs: performance.now() });
      (first.shift() ?? always)(response);
    };
    take().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks/sheaf`,
    received,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      }),
    answer: (then, ...given) => {
      always = then;
      first = [...given];
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
