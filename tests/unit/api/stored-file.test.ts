import { PassThrough, Readable } from 'node:stream';
import { streamTo } from '@sheaf/api/testing';
import test from 'ava';

test('a reader who breaks off is no error, and the file is closed', async (t) => {
  const file = new Readable({ read: () => {} });
  const reader = new PassThrough();
  const sending = streamTo(reader, file);
  file.push('the beginning');
  reader.destroy();
  await t.notThrowsAsync(sending);
  t.true(file.destroyed);
});

test('a file that cannot be read to its end is an error, and the answer is cut', async (t) => {
  const file = new Readable({ read: () => {} });
  const reader = new PassThrough();
  const sending = streamTo(reader, file);
  file.push('the beginning');
  file.destroy(new Error('bad block'));
  await t.throwsAsync(sending, { message: 'bad block' });
  t.true(reader.destroyed);
});
