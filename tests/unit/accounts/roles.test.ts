import { adminRoles, isAdminRole, roleFromGroups } from '@sheaf/accounts';
import { areWithin, BUILT_IN_ROLES, permissionsOf } from '@sheaf/vocabulary/permissions';
import test from 'ava';

const ROLES = { ...BUILT_IN_ROLES, clerk: ['documents.read', 'documents.create', 'labels.*'], chief: ['*'] };
const RULES = {
  adminGroup: 'masters',
  mapping: { readers: 'viewer', writers: 'editor', clerks: 'clerk', ghosts: 'no-such-role' },
  defaultRole: 'viewer',
};

test('of all groups the strongest role counts, and the admin group before all', (t) => {
  t.is(roleFromGroups(ROLES, ['readers', 'writers', 'clerks'], RULES), 'editor');
  t.is(roleFromGroups(ROLES, ['clerks', 'readers'], RULES), 'clerk');
  t.is(roleFromGroups(ROLES, ['readers', 'masters'], RULES), 'admin');
  t.is(roleFromGroups(ROLES, ['a', 'b'], { ...RULES, mapping: { a: 'editor', b: 'chief' } }), 'chief');
});

test('who is in no group that counts gets the default role', (t) => {
  t.is(roleFromGroups(ROLES, [], RULES), 'viewer');
  t.is(roleFromGroups(ROLES, ['MASTERS', 'Writers', 'ghosts'], RULES), 'viewer', 'groups are the same only when written the same');
  t.is(roleFromGroups(ROLES, ['constructor', '__proto__'], RULES), 'viewer');
  t.is(roleFromGroups(ROLES, ['undefined'], { ...RULES, adminGroup: undefined }), 'viewer');
});

test('administrators are those who may do everything, and a role that is gone may do nothing', (t) => {
  t.true(isAdminRole(ROLES, 'chief'));
  t.false(isAdminRole(ROLES, 'editor'));
  t.deepEqual(adminRoles(ROLES), ['admin', 'chief']);
  t.deepEqual(permissionsOf(ROLES, 'of-an-older-file'), []);
  t.deepEqual(permissionsOf(ROLES, 'constructor'), []);
});

test('permissions are within others when they reach nowhere further', (t) => {
  t.true(areWithin(['documents.read.own'], ['documents.read']));
  t.false(areWithin(['documents.read'], ['documents.read.own']));
  t.true(areWithin(BUILT_IN_ROLES.viewer, BUILT_IN_ROLES.editor));
  t.false(areWithin(BUILT_IN_ROLES.auditor, BUILT_IN_ROLES.editor));
  t.false(areWithin(['*'], ['documents.*', 'users.*']));
  t.true(areWithin(['*'], ['*']));
});
