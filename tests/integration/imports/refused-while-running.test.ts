import { reasonedError } from '@sheaf/contract';
import { requestImport } from '@sheaf/imports/runs';
import { withImportRun } from '@sheaf/imports/testing';
import { givenUser, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';

test('an import that runs ends as soon as its requester may not import any more', async (t) => {
  await using database = await openTestDatabase();
  const { db, pool } = database;
  const user = await givenUser(db, { role: 'admin' });
  const identity = { kind: 'folder', source: 'papers', ownerId: user.id } as const;
  const nothing = { isDryRun: false, path: '/papers', filename: null, pattern: null, hasPassphrase: false };
  const { id } = await requestImport(db, { ...identity, ...nothing, requestedBy: user.id, requestedKeyId: null });
  await pool.query(`update imports set state = 'running', fence = 1, lease_until = now() + interval '1 hour' where id = $1`, [id]);
  const lost = Promise.withResolvers<void>();
  const held = { id, fence: 1, requireAllowed: () => Promise.reject(reasonedError('FORBIDDEN', 'requester_key_gone')) };
  await withImportRun({ db, isDryRun: false, held, onLost: lost.resolve, ...identity }, async (report) => {
    report.leave('user', 'anna', 'left out before');
    await lost.promise;
  });
  const { rows } = await pool.query('select state, error_code, jsonb_array_length(report) as lines from imports where id = $1', [id]);
  t.deepEqual(rows, [{ state: 'failed', error_code: 'requester_key_gone', lines: 1 }]);
});
