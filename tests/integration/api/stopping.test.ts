// What a client sees of an api that is asked to stop.
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import {
  Authenticator,
  type AuthenticatorParts,
  type HealthSnapshot,
  HttpServer,
  jsonRoute,
  makeApp,
  openRequestRecord,
  probeRoutes,
  RateLimit,
  streamRoute,
} from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { constant, makeRegistry, silentLogger, systemClock } from '@sheaf/process';
import { NO_TRACER } from '@sheaf/process/tracing';
import test from 'ava';
import { z } from 'zod';
import { readsWithoutDatabase } from '../../support/reads-without-database.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A server with the probes, an answer that waits for `go`, and one of which the first half is out. */
const openServer = async () => {
  const { config } = loadConfig({ environment: { SERVER_ADDRESS: '127.0.0.1:0' } });
  const registry = makeRegistry('api');
  const gate = Promise.withResolvers<void>();
  let waiting = 0;
  const routes = [
    ...probeRoutes({
      config,
      takeHealthSnapshot: async () => ({ parts: {}, processes: [] }) as unknown as HealthSnapshot,
      isStopping: () => server.isStopping,
      registry,
    }),
    jsonRoute({
      method: 'get',
      path: '/slow',
      access: 'anyone',
      summary: 'a list that takes its time',
      status: 200,
      response: z.strictObject({ done: z.boolean() }),
      handle: async () => {
        waiting += 1;
        await gate.promise;
        return { done: true };
      },
    }),
    streamRoute({
      method: 'get',
      path: '/half',
      access: 'anyone',
      summary: 'a download',
      stream: async (_input, { response }) => {
        response.status(200).type('application/pdf').setHeader('Content-Length', 8);
        response.write('half');
        waiting += 1;
        await gate.promise;
        response.end('half');
      },
    }),
  ];
  const rateLimit = new RateLimit(constant(config.rateLimit));
  const log = silentLogger();
  const app = makeApp(
    { routes },
    {
      config,
      authenticator: new Authenticator({ identity: {} as AuthenticatorParts['identity'], rateLimit, config }),
      rateLimit,
      reads: readsWithoutDatabase(config),
      tracer: NO_TRACER,
      record: openRequestRecord(log, registry),
      log,
      clock: systemClock,
    },
  );
  const server: HttpServer = new HttpServer(app, config.server);
  await server.start();
  return {
    server,
    port: server.address().port,
    go: gate.resolve,
    untilWaiting: (count: number) => waitFor(() => waiting === count, { description: 'requests to be under way', limitMs: 20_000 }),
  };
};

const ask = async (port: number, path: string, agent: Agent): Promise<{ response: IncomingMessage; body: Promise<string> }> => {
  const [response] = (await once(get({ host: '127.0.0.1', port, path, agent }), 'response')) as [IncomingMessage];
  return {
    response,
    body: response
      .setEncoding('utf8')
      .toArray()
      .then((parts) => parts.join('')),
  };
};

test('requests under way are finished, their connections end with them, and nobody new is let in', async (t) => {
  const { server, port, go, untilWaiting } = await openServer();
  const agent = new Agent({ keepAlive: true });
  const idle: Socket = connect(port, '127.0.0.1');
  await once(idle, 'connect');
  const idleEnded = once(idle, 'close');
  const slow = ask(port, '/slow', agent);
  const half = await ask(port, '/half', agent);
  await untilWaiting(2);
  const stopped = server.stop();
  await idleEnded;
  await t.throwsAsync(ask(port, '/health', new Agent()), { code: 'ECONNREFUSED' });
  go();
  const { response, body } = await slow;
  t.is(response.statusCode, 200);
  t.is(response.headers.connection, 'close');
  t.is(await body, '{"done":true}');
  t.is(await half.body, 'halfhalf');
  await stopped;
  t.is(await server.connections(), 0);
  agent.destroy();
});

test('/ready says 503 from the first moment on, while requests are still taken, and each answer closes its connection', async (t) => {
  const { server, port, go } = await openServer();
  const agent = new Agent({ keepAlive: true });
  const before = await ask(port, '/ready', agent);
  t.is(before.response.statusCode, 200);
  t.is(before.response.headers.connection, 'keep-alive');
  await before.body;
  server.announceStop();
  const after = await ask(port, '/ready', agent);
  t.is(after.response.statusCode, 503);
  t.is(after.response.headers.connection, 'close');
  t.regex(await after.body, /stopping/);
  const health = await ask(port, '/health', agent);
  t.is(health.response.statusCode, 200, 'it lives');
  await health.body;
  go();
  await server.stop();
  agent.destroy();
});
