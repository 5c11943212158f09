import { documentKey, hashOfKey, previewKey, thumbnailKey } from '@sheaf/storage';
import test from 'ava';

const HASH = '0123456789abcdef'.repeat(4);

test('a document is kept under two levels of folders made from its hash', (t) => {
  t.is(documentKey(HASH), `documents/01/23/${HASH}`);
});

test('every derived file names the document it belongs to', (t) => {
  for (const key of [documentKey(HASH), previewKey(HASH), thumbnailKey(HASH, '400x400.webp')]) t.is(hashOfKey(key), HASH);
});

test('a foreign name belongs to no document', (t) => {
  for (const key of ['documents/readme.txt', `documents/01/23/${HASH}0`, `documents/x${HASH}`]) t.is(hashOfKey(key), undefined);
});

test('what is no hash makes no key', (t) => {
  t.throws(() => documentKey('../../etc/passwd'));
  t.throws(() => documentKey(HASH.toUpperCase()));
});
