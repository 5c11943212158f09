import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import en from '@sheaf/messages/locales/en.json' with { type: 'json' };
import test from 'ava';
import { parseSync, Visitor } from 'oxc-parser';

const ROOT = join(import.meta.dirname, '../../..');

/** Shorter ones, such as "Open document", may well be the name of the same thing in two places. */
const MIN_CHARACTERS = 25;

const normalise = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const MESSAGES: ReadonlyMap<string, string> = new Map(Object.entries(en).map(([key, message]) => [normalise(message), key]));

const stringsOf = (file: string, source: string): string[] => {
  const found: string[] = [];
  const visitor = new Visitor({
    Literal: ({ value }) => {
      if (typeof value === 'string') found.push(value);
    },
    // an argument of the catalogue stands where the literal has a value
    TemplateLiteral: ({ quasis }) => found.push(quasis.map(({ value }) => value.cooked ?? '').join('{}')),
  });
  visitor.visit(parseSync(file, source).program);
  return found;
};

/** Messages with their arguments left out, as `stringsOf` leaves them out of templates. */
const TEMPLATES: ReadonlyMap<string, string> = new Map([...MESSAGES].map(([message, key]) => [message.replaceAll(/\{\w+\}/g, '{}'), key]));

const findMessages = (file: string, source: string): string[] =>
  stringsOf(file, source)
    .map(normalise)
    .filter((text) => text.length >= MIN_CHARACTERS)
    .flatMap((text) => {
      const key = TEMPLATES.get(text);
      return key === undefined ? [] : [`${file}: ${key}: ${text}`];
    });

test('no text of the service stands in the catalogue as well', async (t) => {
  const found: string[] = [];
  let files = 0;
  for await (const file of glob('{packages/*,apps/{api,cli,ocr-worker,supervisor,sync,watcher}}/src/**/*.ts', { cwd: ROOT })) {
    files += 1;
    found.push(...findMessages(file, await readFile(join(ROOT, file), 'utf8')));
  }
  t.true(files > 400);
  t.deepEqual(found, []);
});

test('a text of the catalogue is found with and without arguments', (t) => {
  t.is(findMessages('a.ts', `throw new Error('${en['errors.DOCUMENT_NOT_FOUND']}')`).length, 1);
  t.is(findMessages('a.ts', '`The file exceeds the size limit of ${limit}.`').length, 1);
  t.is(findMessages('a.ts', `'must contain a digit'; 'a text that stands in no catalogue at all'`).length, 0);
});
