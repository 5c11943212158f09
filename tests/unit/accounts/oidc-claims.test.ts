import { toReturnPath } from '@sheaf/accounts/testing';
import { readClaim, toGroups, toIdentity } from '@sheaf/accounts/testing/oidc';
import test from 'ava';

test('a claim is found by its whole name before its name is read as a path', (t) => {
  const claims = { 'https://a.example/groups': ['url'], 'a.b': 'whole', a: { b: 'path', c: { d: 1 } }, 'x.y': { z: 'in' } };
  t.deepEqual(readClaim(claims, 'https://a.example/groups'), ['url']);
  t.is(readClaim(claims, 'a.b'), 'whole');
  t.is(readClaim(claims, 'a.c.d'), 1);
  t.is(readClaim(claims, 'x.y.z'), 'in');
});

test('what every object has is no claim', (t) => {
  for (const path of ['constructor', '__proto__', 'a.constructor.name', 'toString', 'a.', '.a', '', '.', 'b.length', 'b.0']) {
    t.is(readClaim({ a: {}, b: ['x'] }, path), undefined, path);
  }
});

test('groups are a list or a text, without what can be no name', (t) => {
  t.deepEqual(toGroups(['a', 'b', 'a', 1, null, { name: 'x' }, ' ', 'c\u0000', 'd'.repeat(300)]), ['a', 'b']);
  t.deepEqual(toGroups('a, b c,,\td'), ['a', 'b', 'c', 'd']);
  for (const value of [undefined, null, 5, {}, true]) t.deepEqual(toGroups(value), []);
});

const NAMES = { userClaim: undefined, groupsClaim: 'groups' };
const WHO = { issuer: 'https://id.example', subject: '1' };

test('an address is verified only where the same source says so of the same address', (t) => {
  const verified = (...sources: Record<string, unknown>[]) => toIdentity(WHO, sources, NAMES)?.emailVerified;
  t.true(verified({ email: 'a@x.example', email_verified: true }));
  t.true(verified({ email: 'a@x.example', email_verified: 'true' }));
  t.true(verified({ email: 'a@x.example' }, { email: 'a@x.example', email_verified: true }));
  t.false(verified({ email: 'a@x.example' }, { email: 'b@x.example', email_verified: true }));
  t.false(verified({ email: 'a@x.example' }, { email_verified: true }));
  t.false(verified({ email: 'a@x.example', email_verified: 1 }));
  t.false(verified({ email_verified: true }), 'there is none');
});

test('the user name is preferred_username, else the address', (t) => {
  t.is(toIdentity(WHO, [{ preferred_username: 'ann', email: 'a@x.example' }], NAMES)?.username, 'ann');
  t.is(toIdentity(WHO, [{ email: 'a@x.example' }], NAMES)?.username, 'a@x.example');
  t.is(toIdentity(WHO, [{}], NAMES)?.username, undefined);
});

test('a path of this service is kept as the way back', (t) => {
  for (const path of ['/', '/documents?page=2&q=%20x#top', '/a//b', '/@user']) t.is(toReturnPath(path), path);
});
