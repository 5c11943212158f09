import { findComparedAttribute, parseFilterTemplate } from '@sheaf/accounts/testing/ldap';
import test from 'ava';
import { assert, property, string } from 'fast-check';
import { EqualityFilter, FilterParser } from 'ldapts';

const HOSTILE = ['*', '*)(uid=*', 'alice)(|(uid=*', '\\2a', 'a\\', '(', ')', '\0', 'ä€😀', '{username}', '$&', '$1', '&(|)'];

test('whatever is typed is one value of an equality', (t) => {
  const template = parseFilterTemplate('(uid={username})', 'username');
  for (const typed of HOSTILE) t.deepEqual(template(typed), new EqualityFilter({ attribute: 'uid', value: typed }), typed);
});

test('any typed name leaves the shape of a filter as it is and comes back whole', (t) => {
  const template = parseFilterTemplate('(&(objectClass=person)(|(uid={username})(mail={username}@example.org)))', 'username');
  assert(
    property(string({ unit: 'binary' }), (typed) => {
      const shown = FilterParser.parseString(template(typed).toString()).toString();
      return shown === template(typed).toString() && shown.split('(').length === template('x').toString().split('(').length;
    }),
  );
  t.pass();
});

test('one template serves many names', (t) => {
  const template = parseFilterTemplate('(&(a=1)(!(uid={username})))', 'username');
  t.is(template('ann').toString(), '(&(a=1)(!(uid=ann)))');
  t.is(template('bob').toString(), '(&(a=1)(!(uid=bob)))');
});

test('matching rules are kept, as nested groups of Active Directory need them', (t) => {
  const template = parseFilterTemplate('(member:1.2.840.113556.1.4.1941:={user_dn})', 'user_dn');
  t.is(template('cn=a*').toString(), '(member:1.2.840.113556.1.4.1941:=cn=a\\2a)');
});

test('a template that cannot work is refused with the reason', (t) => {
  const refused = (template: string) => t.throws(() => parseFilterTemplate(template, 'username'), undefined, template).message;
  t.regex(refused('(uid=alice)'), /must contain the placeholder \{username\}/);
  t.regex(refused('(uid={user})'), /must contain/);
  for (const partial of ['(uid={username}*)', '(uid=*{username})', '(uid>={username})', '(|(uid={username})(mail={username}*))'])
    t.regex(refused(partial), /with \*/, partial);
  for (const broken of ['', '({username}=x)', '((uid={username})', '(uid={username}', '(&(uid={username}))x'])
    t.regex(refused(broken), /is not a valid search filter/, broken);
});

test('the attribute that the filter compares is the name of the user', (t) => {
  t.is(findComparedAttribute('(uid={username})', 'username'), 'uid');
  t.is(findComparedAttribute('(&(objectClass=user)(|(sAMAccountName={username})(mail={username})))', 'username'), 'sAMAccountName');
  t.is(findComparedAttribute('(mail={username}@example.org)', 'username'), undefined);
});
