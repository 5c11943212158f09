import { makeTranslator } from '@sheaf/messages';
import { compileCatalogue } from '@sheaf/messages/catalogue';
import { settingText } from '@sheaf/web/testing';
import test from 'ava';

const { find } = makeTranslator('de', compileCatalogue({ 'settingNames.known': 'Bekannt', 'settingMeanings.known': 'tut etwas' }), 'de');

test('a setting is told in the language of the reader, and one without messages in the words of the service', (t) => {
  const schema = { 'x-meaning': 'does something' };
  t.deepEqual(settingText(find, 'known', schema), { title: 'Bekannt', meaning: 'tut etwas' });
  t.deepEqual(settingText(find, 'newer', schema), { title: 'newer', meaning: 'does something' });
  t.deepEqual(settingText(find, 'newer', undefined), { title: 'newer', meaning: '' });
});
