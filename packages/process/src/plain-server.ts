import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Listener, listen } from './listen.ts';
import { nodeHttp } from './node-http.ts';

/** A small HTTP server beside the work of a process: for probes and metrics. */
export class PlainServer {
  readonly #server: Server;
  readonly #listener: Listener;

  /** `listener` is what an error calls it. What `answer` throws is given to `onError` and answered with 500. */
  constructor(
    listener: Listener,
    answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
    onError: (error: unknown) => void,
  ) {
    this.#listener = listener;
    this.#server = nodeHttp.createServer((request, response) => {
      answer(request, response).catch((error: unknown) => {
        onError(error);
        response.writeHead(500).end();
      });
    });
  }

  /** The port in use; 0 before `listen`. */
  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  get isListening(): boolean {
    return this.#server.listening;
  }

  /** Throws FatalError when the port cannot be had. */
  async listen(host: string, port: number): Promise<void> {
    await listen(this.#server, { host, port }, this.#listener);
  }

  /** Ends all connections. May be called twice. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
