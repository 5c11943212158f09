// Who starts the service reads why it cannot listen where it was told to, and which variable says where.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError, listen } from '@sheaf/process';
import test, { type ExecutionContext } from 'ava';

const LISTENER = { what: 'the api', hostVariable: 'SERVER_HOST', portVariable: 'SERVER_PORT' };

const givenServer = (t: ExecutionContext) => {
  const server = createServer();
  t.teardown(() => server.close());
  return server;
};

const refusal = async (t: ExecutionContext, host: string, port: number): Promise<FatalError['problem']> => {
  const error = await t.throwsAsync(listen(givenServer(t), { host, port }, LISTENER), { instanceOf: FatalError });
  t.is(error.exitCode, 78);
  return error.problem;
};

test('an address that cannot be had ends the start with 78, what is the matter, and the variable to change', async (t) => {
  const taken = givenServer(t);
  await listen(taken, { host: '127.0.0.1', port: 0 }, LISTENER);
  const { port } = taken.address() as AddressInfo;
  const listener = 'the api';
  t.deepEqual(
    await refusal(t, '127.0.0.1', port),
    makeProblem('listen_address_in_use', { listener, address: `127.0.0.1:${port}`, variable: 'SERVER_PORT' }),
  );
  t.deepEqual(
    await refusal(t, '192.0.2.1', 0),
    makeProblem('listen_address_missing', { listener, address: '192.0.2.1:0', variable: 'SERVER_HOST' }),
  );
  t.like(await refusal(t, '2001:db8::1', 8080), {
    code: 'listen_address_missing',
    details: { listener, address: '[2001:db8::1]:8080', variable: 'SERVER_HOST' },
  });
});

test('a name that no machine has is the mistake of who wrote it, one that cannot be asked for now is none', async (t) => {
  const fail = async (code: string): Promise<Error | undefined> => {
    const server = givenServer(t);
    server.listen = () => {
      setImmediate(() => server.emit('error', Object.assign(new Error(`getaddrinfo ${code} nowhere`), { code })));
      return server;
    };
    return t.throwsAsync(listen(server, { host: 'nowhere', port: 8080 }, LISTENER));
  };
  const wrong = await fail('ENOTFOUND');
  t.true(wrong instanceof FatalError);
  t.deepEqual(
    (wrong as FatalError).problem,
    makeProblem('listen_host_unknown', { listener: 'the api', address: 'nowhere:8080', variable: 'SERVER_HOST' }),
  );
  t.false((await fail('EAI_AGAIN')) instanceof FatalError);
});
