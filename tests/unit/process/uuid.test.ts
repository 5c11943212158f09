import { uuidv7 } from '@sheaf/process';
import test from 'ava';

test('keys of one process are in the order in which they were made, also within a millisecond', (t) => {
  const made = Array.from({ length: 2_000 }, () => uuidv7(1_700_000_000_000));
  t.deepEqual(made.toSorted(), made);
  t.is(new Set(made).size, made.length);
  t.true(uuidv7(1_700_000_000_001) > (made.at(-1) ?? ''));
});

test('a key is a UUID of version 7 that begins with its time', (t) => {
  t.regex(uuidv7(0x0123_4567_89ab), /^01234567-89ab-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

test('so many keys in a millisecond that the counter ends are still different ones', (t) => {
  const made = Array.from({ length: 5_000 }, () => uuidv7(1_700_000_000_002));
  t.is(new Set(made).size, made.length);
});
