import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

export interface RoundRobin extends AsyncDisposable {
  readonly url: string;
  /** How many requests each target got, upgrades among them. */
  readonly passed: readonly number[];
}

/** A reverse proxy that gives each request to the next of its targets, whoever makes it, and lets WebSockets through. */
export const startRoundRobin = async (targets: readonly string[]): Promise<RoundRobin> => {
  const passed = targets.map(() => 0);
  let turn = 0;
  const nextTarget = (): URL => {
    const at = turn % targets.length;
    turn += 1;
    passed[at] = (passed[at] ?? 0) + 1;
    return new URL(targets[at] ?? '');
  };
  const server = createServer((request, response) => {
    const { hostname, port } = nextTarget();
    const { method, url, headers } = request;
    const onward = send({ hostname, port, method, path: url, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('upgrade', ({ method, url, rawHeaders }: IncomingMessage, socket, head) => {
    const { hostname, port } = nextTarget();
    const onward = connect(Number(port), hostname, () => {
      const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
      onward.write(`${method} ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
