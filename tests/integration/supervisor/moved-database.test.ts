import { once } from 'node:events';
import { createServer } from 'node:net';
import { Secret } from '@sheaf/contract';
import { silentLogger, systemClock } from '@sheaf/process';
import { EmbeddedDatabase, RestartPolicy } from '@sheaf/supervisor/testing';
import test from 'ava';
import { freePort } from '../../support/free-port.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ask, givenData, serverPid } from '../program/given-server.ts';

test('an embedded database whose port was taken while it was down moves to the next free one, and its clients are told', async (t) => {
  const dataPath = await givenData(t);
  const port = await freePort();
  let moves = 0;
  const database = new EmbeddedDatabase({
    server: { dataPath, port, password: new Secret('test-password'), log: silentLogger(), extraParameters: { fsync: 'off' } },
    policy: new RestartPolicy({ repeatedCrashes: 9, steadyMs: 60_000, backoff: { baseMs: 400, maxMs: 400 } }),
    clock: systemClock,
    log: silentLogger(),
    onRestart: () => {},
    onMoved: () => (moves += 1),
    onFatal: (error) => t.fail(error.message),
  });
  await database.start();
  t.teardown(() => database.stop());
  t.is(Number(new URL(database.url).port), port);
  process.kill(serverPid(dataPath), 'SIGKILL');
  const other = createServer((socket) => socket.destroy());
  const take = async (): Promise<boolean> => {
    other.listen(port, '127.0.0.1');
    return Promise.race([once(other, 'listening').then(() => true), once(other, 'error').then(() => false)]).catch(() => false);
  };
  await waitFor(take, { description: 'the port', limitMs: 5_000 });
  t.teardown(() => void other.close());
  await waitFor(() => moves === 1, { description: 'the move', limitMs: 30_000 });
  t.true(Number(new URL(database.url).port) > port);
  t.is(await ask(database.url, 'select 1'), 1);
  t.is(database.health().status, 'healthy');
});
