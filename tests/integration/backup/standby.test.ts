import { Secret } from '@sheaf/contract';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import test from 'ava';
import { givenPair } from '../db/given-pair.ts';
import { openBackedUpLibrary } from './library.ts';

test('a standby is refused: its locks would keep nobody from removing files', async (t) => {
  const { standby } = await givenPair(t);
  await using library = await openBackedUpLibrary();
  const error = await t.throwsAsync(library.backup({}, { databaseUrl: new Secret(standby.url) }), { instanceOf: FatalError });
  t.is(error.problem?.code, 'backup_on_standby');
  t.is(error.exitCode, EXIT.configuration);
});
