import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type GuardedFetchOptions, makeGuardedFetch, OutboundError, type OutboundErrorCode, type OutboundPolicy } from '@sheaf/outbound';
import test, { type ExecutionContext } from 'ava';
import { waitFor } from '../../support/wait-for.ts';

interface Served {
  readonly port: number;
  readonly url: string;
  readonly seen: readonly IncomingMessage[];
}

const LOOPBACK: OutboundPolicy = { allowedNetworks: ['127.0.0.0/8'], denyPrivate: false };

const listen = (server: Server, host: string): Promise<number> =>
  new Promise((resolve) => server.listen(0, host, () => resolve((server.address() as AddressInfo).port)));

const serve = async (t: ExecutionContext, listener: RequestListener, host = '127.0.0.1'): Promise<Served> => {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    listener(request, response);
  });
  const port = await listen(server, host);
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port, url: `http://${host}:${port}`, seen };
};

const makeFetch = (policy: Partial<OutboundPolicy> = {}, options: Partial<GuardedFetchOptions> = {}) =>
  makeGuardedFetch({ ...LOOPBACK, ...policy }, { userAgent: 'Sheaf', ...options });

const answer =
  (body: string, status = 200, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

const redirectTo = (location: string, status = 302): RequestListener => answer('', status, { location });

const fails = async (t: ExecutionContext, run: Promise<unknown>, code: OutboundErrorCode): Promise<OutboundError | undefined> => {
  const error = await t.throwsAsync(run);
  if (!(error instanceof OutboundError)) {
    t.fail(`not an OutboundError: ${error}`);
    return undefined;
  }
  t.is(error.code, code, error.message);
  return error;
};

test('an allowed host is asked, and its status, headers and body are given', async (t) => {
  const { url, seen } = await serve(t, answer('hello', 404, { 'X-Who': 'me' }));
  const response = await makeFetch()(`${url}/path?a=b`, { headers: { 'X-Given': 'yes' } });
  t.is(response.status, 404);
  t.is(response.headers['x-who'], 'me');
  t.is(await text(response.body), 'hello');
  t.is(response.url, `${url}/path?a=b`);
  t.is(seen[0]?.url, '/path?a=b');
  t.is(seen[0]?.headers['user-agent'], 'Sheaf');
  t.is(seen[0]?.headers['x-given'], 'yes');
});

test('this machine is refused in every way its address can be written, and nothing is sent', async (t) => {
  const { port, seen } = await serve(t, answer('secret'));
  const guarded = makeFetch({ allowedNetworks: [] });
  const hosts = [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    'localhost',
  ];
  for (const host of hosts) await fails(t, guarded(`http://${host}:${port}/`), 'refused_address');
  t.is(seen.length, 0);
});

test('metadata addresses are refused even where everything is allowed', async (t) => {
  const guarded = makeFetch({ allowedNetworks: ['0.0.0.0/0', '::/0'] });
  const hosts = ['169.254.169.254', '[::ffff:169.254.169.254]', '[fd00:ec2::254]', '[fe80::1]', '100.100.100.200', '2852039166'];
  for (const host of hosts) await fails(t, guarded(`http://${host}/`), 'refused_address');
});

test('a name is refused by its address, and the message tells both', async (t) => {
  const guarded = makeFetch({}, { resolve: async () => [{ address: '169.254.169.254', family: 4 }] });
  const error = await fails(t, guarded('http://files.example/secret-path?token=x'), 'refused_address');
  t.is(error?.message, 'files.example resolves to 169.254.169.254, a link-local address');
});

test('of several addresses only those that are allowed are connected to', async (t) => {
  const { port } = await serve(t, answer('hello'));
  const addresses = [
    { address: '169.254.169.254', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ];
  const response = await makeFetch({}, { resolve: async () => addresses })(`http://files.example:${port}/`);
  t.is(await text(response.body), 'hello');
});

test('a name that changes its address between check and use gains nothing: it is looked up once for each connection', async (t) => {
  const { port } = await serve(t, answer('hello', 200, { connection: 'close' }));
  const answers = ['127.0.0.1', '169.254.169.254'];
  let asked = 0;
  const resolve = async () => [{ address: answers[asked++] ?? '', family: 4 }];
  const guarded = makeFetch({}, { resolve });
  t.is(await text((await guarded(`http://files.example:${port}/`)).body), 'hello');
  t.is(asked, 1);
  await fails(t, guarded(`http://files.example:${port}/`), 'refused_address');
});

test('a name without address and a port nobody listens on are told apart', async (t) => {
  const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND x'), { code: 'ENOTFOUND' });
  await fails(t, makeFetch({}, { resolve: () => Promise.reject(unknown) })('http://files.example/'), 'dns');
  await fails(t, makeFetch({}, { resolve: async () => [] })('http://files.example/'), 'dns');
  await fails(t, makeFetch()('http://127.0.0.1:1/'), 'connection');
});

test('every redirect is judged like the first address', async (t) => {
  const { url } = await serve(t, redirectTo('http://169.254.169.254/latest/meta-data/'));
  await fails(t, makeFetch()(url), 'refused_address');
  const other = await serve(t, redirectTo('file:///etc/passwd'));
  await fails(t, makeFetch()(other.url), 'invalid_url');
});

test('credentials stay with the host they are for', async (t) => {
  const target = await serve(t, answer('there'), '127.0.0.2');
  const start = await serve(t, (request, response) =>
    request.url === '/' ? redirectTo('/again')(request, response) : redirectTo(`${target.url}/x`)(request, response),
  );
  const headers = { Authorization: 'Bearer t', Cookie: 'a=b', 'Ocp-Apim-Subscription-Key': 'k', Accept: 'text/plain' };
  const response = await makeFetch()(start.url, { headers });
  t.is(await text(response.body), 'there');
  t.is(response.url, `${target.url}/x`);
  t.deepEqual(
    start.seen.map((request) => request.headers.authorization),
    ['Bearer t', 'Bearer t'],
  );
  const got = target.seen[0]?.headers ?? {};
  t.deepEqual(
    [got.authorization, got.cookie, got['ocp-apim-subscription-key'], got.accept],
    [undefined, undefined, undefined, 'text/plain'],
  );
});

test('where redirects must stay with the origin, one within it is followed and one that leaves it is not', async (t) => {
  const target = await serve(t, answer('there'));
  const start = await serve(t, (request, response) =>
    request.url === '/' ? redirectTo('/again')(request, response) : redirectTo(`${target.url}/x?secret=1`)(request, response),
  );
  const error = await fails(t, makeFetch()(start.url, { redirects: 'same_origin' }), 'refused_redirect');
  t.is(error?.message, `127.0.0.1:${start.port} redirects to ${target.url}`);
  t.is(start.seen.length, 2);
  t.is(target.seen.length, 0);
});

test('a circle of redirects ends', async (t) => {
  const { url, seen } = await serve(t, redirectTo('/'));
  await fails(t, makeFetch()(url), 'too_many_redirects');
  t.is(seen.length, 6);
  await fails(t, makeFetch()(url, { maxRedirects: 0 }), 'too_many_redirects');
  t.is(seen.length, 7);
});

test('an address with credentials is not called', async (t) => {
  const error = await fails(t, makeFetch()('http://user:hunter2@127.0.0.1/'), 'invalid_url');
  t.false(error?.message.includes('hunter2'));
});

test('a body larger than the limit fails, announced or not', async (t) => {
  const announced = await serve(t, answer('x'.repeat(2_000), 200, { 'content-length': '2000' }));
  await fails(t, makeFetch()(announced.url, { maxResponseBytes: 1_000 }), 'too_large');
  let closed = false;
  const endless = await serve(t, (_request, response) => {
    const chunk = Buffer.alloc(10_000);
    Readable.from(forever(chunk)).pipe(response);
    response.once('close', () => {
      closed = true;
    });
  });
  const response = await makeFetch()(endless.url, { maxResponseBytes: 100_000 });
  await fails(t, buffer(response.body), 'too_large');
  await waitFor(() => closed, { description: 'the connection to close', limitMs: 5_000 });
  t.pass();
});

test('a small answer that unpacks to a large one fails', async (t) => {
  const bomb = gzipSync(Buffer.alloc(5_000_000));
  const { url } = await serve(t, (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
  const response = await makeFetch()(url, { maxResponseBytes: 100_000 });
  await fails(t, buffer(response.body), 'too_large');
});

test('headers have a limit too', async (t) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {}); // the client hangs up in the middle
    socket.write('HTTP/1.1 200 OK\r\n');
    for (let i = 0; i < 1_000; i += 1) socket.write(`x-${i}: ${'y'.repeat(100)}\r\n`);
  });
  const port = await new Promise<number>((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
  t.teardown(() => server.close());
  await fails(t, makeFetch()(`http://127.0.0.1:${port}/`), 'too_large');
});

test('the time limit holds for a silent server, for a slow body and for a chain of redirects', async (t) => {
  const silent = await serve(t, () => {});
  await fails(t, makeFetch()(silent.url, { timeoutMs: 100 }), 'timeout');
  await fails(t, makeFetch({}, { headersTimeoutMs: 100 })(silent.url), 'timeout');
  const stuck = await serve(t, (_request, response) => response.writeHead(200).write('begin'));
  await fails(t, buffer((await makeFetch()(stuck.url, { timeoutMs: 1_000 })).body), 'timeout');
  await fails(t, buffer((await makeFetch({}, { idleTimeoutMs: 500 })(stuck.url)).body), 'timeout');
  const towards = await serve(t, redirectTo(`${silent.url}/`));
  await fails(t, makeFetch()(towards.url, { timeoutMs: 200 }), 'timeout');
});

test('a body that is never read ends with its time and harms nobody', async (t) => {
  let closed = false;
  const { url } = await serve(t, (_request, response) => {
    response.writeHead(200).write('begin');
    response.once('close', () => {
      closed = true;
    });
  });
  const { status } = await makeFetch()(url, { timeoutMs: 1_000 });
  t.is(status, 200);
  await waitFor(() => closed, { description: 'the connection to close', limitMs: 5_000 });
});

test('an aborted signal ends a request and a body with its own reason', async (t) => {
  const reason = new Error('stopped');
  const silent = await serve(t, () => {});
  const abort = new AbortController();
  const asked = makeFetch()(silent.url, { signal: abort.signal });
  await waitFor(() => silent.seen.length > 0, { description: 'the request to arrive', limitMs: 20_000 });
  abort.abort(reason);
  t.is(await t.throwsAsync(asked), reason);
  t.is(await t.throwsAsync(makeFetch()(silent.url, { signal: abort.signal })), reason);
  const stuck = await serve(t, (_request, response) => response.writeHead(200).write('begin'));
  const again = new AbortController();
  const { body } = await makeFetch()(stuck.url, { signal: again.signal });
  again.abort(reason);
  t.is(await t.throwsAsync(buffer(body)), reason);
});

test('a connection that breaks in the middle of a body fails', async (t) => {
  const { url } = await serve(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('begin', () => response.destroy());
  });
  const response = await makeFetch()(url);
  await fails(t, buffer(response.body), 'connection');
});

test('a body given as a stream is sent as it comes', async (t) => {
  const echo = (request: IncomingMessage, response: ServerResponse): void => void request.pipe(response);
  const { url, seen } = await serve(t, echo);
  const body = Readable.from([Buffer.from('one '), Buffer.from('two')]);
  const response = await makeFetch()(url, { method: 'put', body });
  t.is(await text(response.body), 'one two');
  t.is(seen[0]?.method, 'PUT');
});

/** Answers once on each connection and closes it with the next request, as a server does that gives up an idle one in that moment. */
const answerOnce = (end: (socket: Socket) => void): RequestListener => {
  const used = new WeakSet<Socket>();
  return (request, response) => {
    if (used.has(request.socket)) end(request.socket);
    else response.end(request.method);
    used.add(request.socket);
  };
};

const ENDS = { closed: (socket: Socket) => socket.destroy(), reset: (socket: Socket) => socket.resetAndDestroy() };

for (const [how, end] of Object.entries(ENDS)) {
  test(`a kept connection that is ${how} as it is used again is no failure of what may be asked twice`, async (t) => {
    const { url, seen } = await serve(t, answerOnce(end));
    const guarded = makeFetch();
    t.is(await text((await guarded(url)).body), 'GET');
    await nextTurn(); // until then the connection is not free again
    t.is(await text((await guarded(url, { method: 'PROPFIND', body: '<all/>' })).body), 'PROPFIND');
    t.deepEqual(
      seen.map(({ method }) => method),
      ['GET', 'PROPFIND', 'PROPFIND'],
    );
  });
}

test('what may not be asked twice is not, nor what a fresh connection does not answer', async (t) => {
  const once = await serve(t, answerOnce(ENDS.closed));
  const guarded = makeFetch();
  await text((await guarded(once.url)).body);
  await nextTurn();
  await fails(t, guarded(once.url, { method: 'POST', body: 'pay' }), 'connection');
  t.deepEqual(
    once.seen.map(({ method }) => method),
    ['GET', 'POST'],
  );
  const never = await serve(t, (request) => request.socket.destroy());
  await fails(t, guarded(never.url), 'connection');
  t.is(never.seen.length, 1);
});

test('requests one after the other use one connection', async (t) => {
  const { url, seen } = await serve(t, answer('hello'));
  const guarded = makeFetch();
  for (let i = 0; i < 3; i += 1) {
    await text((await guarded(url)).body);
    await nextTurn();
  }
  t.is(new Set(seen.map((request) => request.socket)).size, 1);
});

function* forever(chunk: Buffer): Generator<Buffer> {
  for (;;) yield chunk;
}
