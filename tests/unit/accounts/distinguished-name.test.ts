import { commonNameOf, groupOf, namesOfGroups, normaliseName } from '@sheaf/accounts/testing/ldap';
import test from 'ava';

const ADMINS = 'cn=admins,ou=groups,dc=example,dc=org';

test('one name written in several ways is one name', (t) => {
  for (const [one, other] of [
    [ADMINS, 'CN=Admins, OU=Groups , DC=Example,DC=ORG'],
    ['cn=a\\,b,dc=x', 'cn="a,b",dc=x'],
    ['cn=a\\2cb,dc=x', 'cn=a\\,b,dc=x'],
    ['cn=M\\c3\\bcller,dc=x', 'cn=Müller,dc=x'],
    ['cn=a+uid=b,dc=x', 'uid=b+cn=a,dc=x'],
    ['cn=two  spaces,dc=x', 'cn=two spaces,dc=x'],
  ] as const)
    t.is(normaliseName(one), normaliseName(other), `${one} and ${other}`);
});

test('names that differ stay apart, also where a value looks like syntax', (t) => {
  const names = ['cn=a,dc=x', 'cn=a\\,dc=x', 'cn=a+dc=x', 'cn=a\\+dc=x', 'cn="a,dc=x"', 'cn=a', 'dc=x', 'cn=a,dc=x,dc=y', 'uid=a,dc=x'];
  const distinct = new Set(names.map(normaliseName));
  // cn=a\,dc=x and cn="a,dc=x" are the same
  t.is(distinct.size, names.length - 1);
});

test('what is no distinguished name is none', (t) => {
  for (const text of ['admins', '', 'cn', '=x', 'c n=x', 'cn="x,dc=y', 'cn=x,,dc=y']) t.is(normaliseName(text), undefined, text);
});

test('the common name is read without its escapes', (t) => {
  t.is(commonNameOf('CN=Doe\\, Jane,dc=x'), 'Doe, Jane');
  t.is(commonNameOf('ou=x,cn=y'), undefined);
});

test('groups are called as the directory and as the settings call them', (t) => {
  const groups = [groupOf('CN=Admins,OU=Groups,DC=Example,DC=Org'), groupOf('cn=Staff,dc=x', ['Staff', 'Personal'])];
  const names = namesOfGroups(groups, [ADMINS, 'staff', 'nobody', 'cn=staff, dc=y']);
  t.deepEqual(names, [ADMINS, 'staff', 'CN=Admins,OU=Groups,DC=Example,DC=Org', 'Admins', 'cn=Staff,dc=x', 'Staff', 'Personal']);
});

test('a group whose name reads like another group does not pass for it', (t) => {
  t.deepEqual(namesOfGroups([groupOf('cn=x,dc=evil', [ADMINS])], [ADMINS]), ['cn=x,dc=evil']);
});
