import { loadConfig, neededConnections, poolSize } from '@sheaf/config';
import { checkConnectionRoom } from '@sheaf/program/testing';
import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { makeNotedLogger } from '../../support/noted-logger.ts';
import { givenFolder } from '../program/given-server.ts';

test('pools that cannot fit into what the server allows are told at the start', async (t) => {
  await using database = await openTestDatabase({ empty: true });
  const DATA_PATH = await givenFolder(t);
  const linesWith = async (environment: Record<string, string>): Promise<readonly string[]> => {
    const { log, lines } = makeNotedLogger();
    const { config } = loadConfig({ environment: { DATA_PATH, ...environment } });
    await checkConnectionRoom(database, neededConnections(config), log).start();
    return lines;
  };
  t.deepEqual(await linesWith({}), []);
  for (const tooMany of [{ DATABASE_MAX_CONNECTIONS: '500' }, { OCR_WORKER_PROCESSES: '40', MEMORY_LIMIT_MB: '4096' }]) {
    const [line = '', ...more] = await linesWith(tooMany);
    t.regex(line, /connection limit of the database is too low.*DATABASE_MAX_CONNECTIONS/);
    t.deepEqual(more, []);
  }
});

test('the embedded server allows as many connections as the processes may need, and uses the cores it may', async (t) => {
  const DATA_PATH = await givenFolder(t);
  const parametersWith = (environment: Record<string, string>) =>
    loadConfig({ environment: { DATA_PATH, ...environment } }).config.embeddedDatabase.extraParameters;
  t.is(parametersWith({}).max_connections, '300');
  const { config } = loadConfig({
    environment: { DATA_PATH, DATABASE_MAX_CONNECTIONS: '900', OCR_WORKER_PROCESSES: '10', CPU_CORES: '3' },
  });
  t.true(Number(config.embeddedDatabase.extraParameters.max_connections) >= 900 + 12 * 8);
  t.is(config.embeddedDatabase.extraParameters.max_parallel_workers, '3');
  t.deepEqual(poolSize('api', config), { maxConnections: 900, minConnections: 5 });
  t.deepEqual(poolSize('sync', config), { maxConnections: 8, minConnections: 0 });
});
