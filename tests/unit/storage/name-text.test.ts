import { nameToText } from '@sheaf/storage/folders';
import test from 'ava';

test('a name that is text stays as it is', (t) => {
  for (const name of ['a.txt', 'Größe \u202E📄\n.txt', 'back\\slash.txt', '\\x41.txt']) t.is(nameToText(Buffer.from(name)), name);
});

test('names of other bytes and names that only look like them stay apart', (t) => {
  const names = ['a\\xe4.txt', 'a\\x5cxe4.txt', 'a\\x5cx5cxe4.txt', 'a\\\\xe4.txt'].map((name) => Buffer.from(name));
  names.push(Buffer.from([0x61, 0xe4, 0x2e]), Buffer.from('a\\xe4\xe4.', 'latin1'), Buffer.from([0x61, 0xe4, 0xe4, 0x2e]));
  t.is(new Set(names.map(nameToText)).size, names.length);
  t.is(nameToText(Buffer.from([0x61, 0xe4, 0x2e])), 'a\\xe4.');
});
