import { makeNamePatterns } from '@sheaf/storage/folders';
import test from 'ava';

const DEFAULTS = { patterns: ['*'], ignorePatterns: ['.*', '~*', '*.tmp'] };

test('a pattern without a slash is meant for files in every folder, in any case', (t) => {
  const { isWanted } = makeNamePatterns({ patterns: ['*.pdf'], ignorePatterns: [] });
  t.true(isWanted('a.pdf'));
  t.true(isWanted('deep/er/A.PDF'));
  t.false(isWanted('a.txt'));
});

test('a pattern with a slash is meant for the whole path', (t) => {
  const { isWanted } = makeNamePatterns({ patterns: ['invoices/**'], ignorePatterns: [] });
  t.true(isWanted('invoices/2026/a.pdf'));
  t.false(isWanted('letters/a.pdf'));
});

test('hidden, temporary and lock files are left by default, and named by the pattern that did it', (t) => {
  const { findIgnoring, isWanted } = makeNamePatterns(DEFAULTS);
  t.is(findIgnoring('in/.hidden.pdf'), '.*');
  t.is(findIgnoring('in/~$letter.doc'), '~*');
  t.is(findIgnoring('in/letter.TMP'), '*.tmp');
  t.is(findIgnoring('in/letter.pdf'), undefined);
  t.true(isWanted('in/line\nbreak.txt'));
  t.true(isWanted('-rf --help.txt'));
});
