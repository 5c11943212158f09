import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import { ACTION_GROUPS, toPermissions, toReach } from '@sheaf/web/testing';
import test from 'ava';

test('the permissions of a role that nobody ticks anything of stay what they are', (t) => {
  for (const role of ['editor', 'viewer', 'auditor'] as const) {
    const before = BUILT_IN_ROLES[role];
    t.deepEqual(toPermissions(toReach(before), before).toSorted(), before.toSorted(), role);
  }
});

test('a tick grants one action, to all or to one’s own, and no resource as a whole', (t) => {
  const labels = ACTION_GROUPS.find(({ resource }) => resource === 'labels')?.actions ?? [];
  const reach = { ...Object.fromEntries(labels.map((action) => [action, 'all'])), 'documents.read': 'own' } as const;
  t.deepEqual(toPermissions(reach, []), ['documents.read.own', ...labels]);
  t.deepEqual(toPermissions(reach, ['labels.*']), ['documents.read.own', 'labels.*']);
});

test('a tick that is taken away splits a resource', (t) => {
  const { 'labels.delete': _gone, ...rest } = toReach(['labels.*']);
  t.deepEqual(toPermissions(rest, ['labels.*']), ['labels.read', 'labels.create', 'labels.update']);
});
