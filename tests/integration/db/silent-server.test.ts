// A host that goes without closing its connections, as one that loses its power or its network does.
import { isDatabaseUnavailable } from '@sheaf/db';
import { AnswerWatch } from '@sheaf/db/testing';
import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { testWhere } from '../../support/conditional-test.ts';
import { addDatabaseHost } from '../../support/database-host.ts';
import { canMakeNetworks, openHostNetwork } from '../../support/host-network.ts';
import { waitFor } from '../../support/wait-for.ts';

testWhere(await canMakeNetworks(), 'network namespaces cannot be made here')(
  'statements are abandoned when their host can no longer be reached, and only those of that host',
  async (t) => {
    t.timeout(2 * 60_000);
    await using network = await openHostNetwork();
    const [gone, slow] = [await addDatabaseHost(network), await addDatabaseHost(network)];
    const serverOn = ({ address }: { address: string }) => ({ hostname: address, port: 5_432, place: `${address}:5432`, isSocket: false });
    const [goneServer, slowServer] = [serverOn(gone), serverOn(slow)];
    const retired: unknown[] = [];
    const watch = new AnswerWatch((server) => retired.push(server));
    const errors: { gone: Error[]; slow: Error[]; answered: Error[] } = { gone: [], slow: [], answered: [] };
    for (let n = 0; n < 2; n += 1) watch.expect(goneServer, (error) => errors.gone.push(error));
    watch.expect(slowServer, (error) => errors.slow.push(error));
    watch.expect(goneServer, (error) => errors.answered.push(error))();
    await gone.cutOff();
    await waitFor(() => errors.gone.length === 2, { description: 'the statements to be abandoned', limitMs: 20_000 });
    t.true(errors.gone.every(isDatabaseUnavailable));
    t.deepEqual(retired, [goneServer]);
    t.deepEqual([errors.slow, errors.answered], [[], []]);
  },
);

test('a statement that takes long is waited for where its host is there', async (t) => {
  await using database = await openTestDatabase();
  // longer than a silence that makes the watch ask
  const { rows } = await database.pool.query(`select 1 as one from pg_sleep(5)`);
  t.deepEqual(rows, [{ one: 1 }]);
});
