import { BUILT_IN_ROLES, scopeOf } from '@sheaf/vocabulary/permissions';
import { reachesAll } from '@sheaf/web/testing';
import test from 'ava';

test('a viewer reads, an editor changes sources of their own, an administrator does all', (t) => {
  t.is(scopeOf(BUILT_IN_ROLES.viewer, 'documents.read'), 'all');
  t.is(scopeOf(BUILT_IN_ROLES.viewer, 'documents.delete'), 'none');
  t.is(scopeOf(BUILT_IN_ROLES.editor, 'sources.update'), 'own');
  t.is(scopeOf(BUILT_IN_ROLES.admin, 'audit.view'), 'all');
});

test('an own-only permission covers rows of the user alone, and none of unknown owners', (t) => {
  t.true(reachesAll('all', undefined, 'ann'));
  t.true(reachesAll('own', ['ann', 'ann'], 'ann'));
  t.false(reachesAll('own', ['ann', 'bob'], 'ann'));
  t.false(reachesAll('own', [null], 'ann'));
  t.false(reachesAll('own', undefined, 'ann'));
  t.false(reachesAll('none', ['ann'], 'ann'));
});
