import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCALES } from '@sheaf/messages';
import { argumentsOf, describeArguments } from '@sheaf/messages/describe-arguments';
import { AUDIT_ACTIONS } from '@sheaf/vocabulary/audit-actions';
import { ERROR_CODES, ERROR_REASONS } from '@sheaf/vocabulary/error-codes';
import { FAILURE_REASONS } from '@sheaf/vocabulary/extraction-failures';
import { ISSUE_CODES } from '@sheaf/vocabulary/issue-codes';
import { LEDGER_REASON_CODES } from '@sheaf/vocabulary/ledger-reasons';
import { ACTIONS, ROLES } from '@sheaf/vocabulary/permissions';
import { SOURCE_FINDINGS, SOURCE_PROBLEMS } from '@sheaf/vocabulary/sources';
import test from 'ava';

const ROOT = join(import.meta.dirname, '../../..');

type Messages = Readonly<Record<string, string>>;

const readMessages = async (locale: string): Promise<Messages> =>
  JSON.parse(await readFile(join(ROOT, `packages/messages/locales/${locale}.json`), 'utf8')) as Messages;

const en = await readMessages('en');
const others = await Promise.all(LOCALES.map(async (locale) => [locale, await readMessages(locale)] as const));

const namesIn = (message: string) => [...argumentsOf(message)].map(([name, uses]) => `${name} ${[...uses].toSorted().join()}`).toSorted();

test('every language has the keys of English, in their order, and no others', (t) => {
  for (const [locale, messages] of others) {
    const keys = Object.keys(messages);
    const missing = Object.keys(en).filter((key) => !(key in messages));
    const unknown = keys.filter((key) => !(key in en));
    const unordered = keys.filter((key, index) => key < (keys[index - 1] ?? ''));
    t.deepEqual({ missing, unknown, unordered }, { missing: [], unknown: [], unordered: [] }, locale);
  }
});

test('every message is valid ICU, is not empty, and has the arguments of the English one', (t) => {
  for (const [locale, messages] of others)
    for (const [key, message] of Object.entries(messages)) {
      t.not(message.trim(), '', `${locale}: ${key}`);
      t.deepEqual(namesIn(message), namesIn(en[key] ?? ''), `${locale}: ${key}`);
    }
});

test('the types of the arguments are those of the catalogue: else run `npm run messages`', async (t) => {
  const written = await readFile(join(ROOT, 'packages/messages/src/message-arguments.ts'), 'utf8');
  t.true(written === describeArguments(en), 'run `npm run messages`');
});

/** Codes whose messages the service writes itself, as they say more than a code can. */
const WITHOUT_MESSAGE = new Set(['BACKUP_DAMAGED', 'NOT_A_BACKUP', 'WATCH_DIRECTORY_FAILED', 'pattern_too_slow', 'other']);

test('every code of the service and every permission has a message', (t) => {
  const keys = [
    ...[...ERROR_CODES, ...ERROR_REASONS].map((code) => [`errors.${code}`]),
    ...ISSUE_CODES.map((code) => [`issues.${code}`]),
    ...LEDGER_REASON_CODES.map((code) => [`importLog.${code}`, `errors.${code}`]),
    ...FAILURE_REASONS.flatMap((code) => [[`failures.${code}`], [`shortFailures.${code}`]]),
    ...[...SOURCE_PROBLEMS, ...SOURCE_FINDINGS].map((code) => [`sources.${code}`]),
    ...AUDIT_ACTIONS.map((action) => [`auditActions.${action}`]),
    ...ROLES.map((role) => [`roles.${role}`]),
    ...ACTIONS.map((action) => [`permissions.${action}`]),
  ];
  const missing = keys.filter((any) => !any.some((key) => key in en || WITHOUT_MESSAGE.has(key.split('.')[1] ?? '')));
  t.deepEqual(missing, []);
});

/** Terms that are not used any more, by language. */
const RETIRED: Readonly<Record<string, RegExp>> = {
  en: /\b(?:taken in|left alone|came (?:in|by)|way in|what happened|what became|may come in|let in|tell|told|being read|not read|badly read|read again|is here already|forgive|put back|set aside|papers?|he|his)\b/i,
  de: /\b(?:Etikett\w*|Stand|Wege? herein|Was geschah|Kam herein|gelesen auf|eingelassen|Mitteilung\w*|noch einmal lesen)\b/,
};

test('no message uses a retired term', (t) => {
  for (const [locale, messages] of others) {
    const retired = RETIRED[locale];
    if (retired === undefined) continue;
    t.deepEqual(
      Object.entries(messages).filter(([, message]) => retired.test(message)),
      [],
      locale,
    );
  }
});

test('every message has a use', async (t) => {
  const sources: string[] = [];
  for await (const file of glob('{apps,packages}/*/src/**/*.{ts,tsx}', { cwd: ROOT })) {
    if (!file.endsWith('message-arguments.ts')) sources.push(await readFile(join(ROOT, file), 'utf8'));
  }
  const source = sources.join('\n');
  const prefixes = [...source.matchAll(/`(\w+\.(?:\w+\.)*)\$\{/g)].map(([, prefix = '']) => prefix);
  const literals = new Set([...source.matchAll(/'(\w+\.[\w. -]+)'/g)].map(([, key = '']) => key));
  t.deepEqual(
    Object.keys(en).filter((key) => !literals.has(key) && !prefixes.some((prefix) => key.startsWith(prefix))),
    [],
  );
});

/** What a person in trouble would do at once, and cannot undo. */
const DESTROYS =
  /\b(?:remove|delete|empty|drop|erase|overwrite|recreate) (?:it|them|the (?:files?|folders?|links?|data\w*|secrets?))\b|\brm -/i;

test('no remedy for a problem of the service takes away files or data', async (t) => {
  const problems = Object.entries(en).filter(([key]) => /^(?:serviceProblems\.|errors\.(?:storage|database|secret|BACKUP))/.test(key));
  t.true(problems.length > 100);
  for (const [key, message] of problems) t.notRegex(message, DESTROYS, key);
  for await (const path of glob(['packages/{config,embedded-postgres,backup,storage}/src/**/*.ts', 'apps/supervisor/src/**/*.ts'], {
    cwd: ROOT,
  })) {
    const texts = (await readFile(join(ROOT, path), 'utf8'))
      .split('\n')
      .filter((line) => /; |: /.test(line) && /['`]/.test(line) && !/^\s*(?:\/\/|\*|\/\*)/.test(line));
    for (const text of texts) t.notRegex(text, /[;,] (?:or )?(?:remove|delete|empty) (?:it|the (?:file|folder|link))\b/, path);
  }
});
