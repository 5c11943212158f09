import { ACTIONS, BUILT_IN_ROLES, isKnownPermission, scopeOf } from '@sheaf/vocabulary/permissions';
import test from 'ava';

test('the wildcard gives every action on every row', (t) => {
  for (const action of ACTIONS) t.is(scopeOf(['*'], action), 'all', action);
});

test('a resource wildcard gives every action of that resource and no other', (t) => {
  t.is(scopeOf(['labels.*'], 'labels.delete'), 'all');
  t.is(scopeOf(['labels.*'], 'documents.read'), 'none');
});

test('.own limits an action to the rows of the caller', (t) => {
  t.is(scopeOf(['documents.delete.own'], 'documents.delete'), 'own');
  t.is(scopeOf(['documents.delete.own'], 'documents.read'), 'none');
});

test('the widest of several permissions counts, in whatever order they stand', (t) => {
  t.is(scopeOf(['documents.read.own', 'documents.read'], 'documents.read'), 'all');
  t.is(scopeOf(['documents.read', 'documents.read.own'], 'documents.read'), 'all');
});

test('an editor deletes only documents of their own, a viewer none', (t) => {
  t.is(scopeOf(BUILT_IN_ROLES.editor, 'documents.delete'), 'own');
  t.is(scopeOf(BUILT_IN_ROLES.viewer, 'documents.delete'), 'none');
  t.is(scopeOf(BUILT_IN_ROLES.viewer, 'documents.create'), 'none');
});

test('every permission of the built-in roles is one that exists', (t) => {
  for (const permission of Object.values(BUILT_IN_ROLES).flat()) t.true(isKnownPermission(permission), permission);
  t.false(isKnownPermission('documents.fly'));
  t.false(isKnownPermission('documents'));
});
