import { ACTIONS, BUILT_IN_ROLES, scopeOf } from '@sheaf/contract';
import test from 'ava';
import { array, assert, constantFrom, oneof, property, string, tuple } from 'fast-check';
import { reachesAll, reachOf } from '../../../apps/web/src/session/may.ts';

const resources = [...new Set(ACTIONS.map((action) => action.split('.')[0] ?? ''))];

/** Strings that are permissions, and such as only look like some. */
const permission = oneof(
  constantFrom('*', '*.own', '.*', '.own', '', ...ACTIONS, ...Object.values(BUILT_IN_ROLES).flat()),
  tuple(constantFrom(...ACTIONS, ...resources), constantFrom('.own', '.*', '.*.own', '.own.own', '.', 's')).map((parts) => parts.join('')),
  string(),
);

test('the client shows what the service allows: both read permissions alike, whatever they are', (t) => {
  assert(
    property(array(permission, { maxLength: 6 }), constantFrom(...ACTIONS), (permissions, action) => {
      t.is(reachOf(permissions, action), scopeOf(permissions, action), `${JSON.stringify(permissions)} ${action}`);
    }),
    { numRuns: 2_000 },
  );
});

test('a viewer reads, an editor changes sources of his own, an administrator does all', (t) => {
  t.is(reachOf(BUILT_IN_ROLES.viewer, 'documents.read'), 'all');
  t.is(reachOf(BUILT_IN_ROLES.viewer, 'documents.delete'), 'none');
  t.is(reachOf(BUILT_IN_ROLES.editor, 'sources.update'), 'own');
  t.is(reachOf(BUILT_IN_ROLES.admin, 'audit.view'), 'all');
});

test('who may do something with his own alone is not offered it for what is others’, or what nobody knows to be his', (t) => {
  t.true(reachesAll('all', undefined, 'ann'));
  t.true(reachesAll('own', ['ann', 'ann'], 'ann'));
  t.false(reachesAll('own', ['ann', 'bob'], 'ann'));
  t.false(reachesAll('own', [null], 'ann'));
  t.false(reachesAll('own', undefined, 'ann'));
  t.false(reachesAll('none', ['ann'], 'ann'));
});
