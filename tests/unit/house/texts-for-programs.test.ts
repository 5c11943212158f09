// What the interface answers is read by programs: no screen, no page, no time that somebody has seen.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeIssue, reasonedError } from '@sheaf/contract';
import en from '@sheaf/messages/locales/en.json' with { type: 'json' };
import { ERROR_CODES, ERROR_REASONS, ERROR_STATUS } from '@sheaf/vocabulary/error-codes';
import { ISSUE_CODES } from '@sheaf/vocabulary/issue-codes';
import test from 'ava';

const ROOT = join(import.meta.dirname, '../../..');

/** Of a screen ("this page", "another window"), of what a program cannot know (that something existed once), of the service's own code. */
const FOR_PEOPLE =
  /\b(?:reload|refresh the|this page|the page again|click|button|(?:another|other|this) (?:window|tab)|no longer exists?|expected: record|\d+ (?:min|hr) \d+)\b/i;

const messages: Readonly<Record<string, string>> = en;

const textsOfInterface = (): [key: string, text: string][] =>
  [
    ...[...ERROR_CODES, ...ERROR_REASONS, ...Object.keys(ERROR_STATUS)].map((code) => `errors.${code}`),
    ...ISSUE_CODES.map((code) => `issues.${code}`),
  ].flatMap((key) => (messages[key] === undefined ? [] : [[key, messages[key]]]));

/** Texts of errors that stand in the code: of `validationError('...')` and its like. */
const THROWN =
  /(?:validationError|forbidden|unauthorized|serviceUnavailable|plainIssue|new AppError)\([^'"`()]*(['"`])((?:(?!\1).)+)\1(?:,\s*(['"`])((?:(?!\3).)+)\3)?/g;

test('no text of an error is for a person in front of a screen', async (t) => {
  const found = textsOfInterface().filter(([, text]) => FOR_PEOPLE.test(text));
  t.true(textsOfInterface().length > 200);
  t.deepEqual(found, []);
  const thrown: string[] = [];
  let count = 0;
  for await (const file of glob('{packages/*,apps/api}/src/**/*.ts', { cwd: ROOT })) {
    for (const [whole, , first, , second = ''] of (await readFile(join(ROOT, file), 'utf8')).matchAll(THROWN)) {
      count += 1;
      if (FOR_PEOPLE.test(`${first} ${second}`)) thrown.push(`${file}: ${whole}`);
    }
  }
  t.true(count > 40, String(count));
  t.deepEqual(thrown, []);
});

test('a duration is in the unit of its field', (t) => {
  t.regex(
    makeIssue('sync_interval', 'interval_between', { minimum_seconds: 60, maximum_seconds: 2_592_000 }).message,
    /60 s and 2592000 s/,
  );
  t.notRegex(reasonedError('FORBIDDEN', 'proof_required', { field: 'password', fields: ['password', 'code'] }).message, /\{/);
});
