import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';

const ROOT = join(import.meta.dirname, '../../..');

/** Terms that the glossary (docs/contributing/glossary.md) replaces, as they would stand in a text. */
const RETIRED_PHRASES =
  /\b(?:taken in|left alone|way in|may come in|let in again|is here already|same bytes|read badly|badly read|given? back|put back|found right|is given up|ended itself|round failed|error of our own|switched (?:on|off)|told of|forgive|typing errors|himself|his|him)\b/i;

/** Words of names and file names that say nothing to a reader who searches for the usual term. */
const RETIRED_WORDS =
  /^(?:told|tell|tells|telling|wish|wishes|wished|asker|hearer|hearing|himself|beside|fate|deed|deeds|remembered|calm|sighting)$|(?:take-?in|taken-?in|put-?back|put-?rows-?back|set-?aside|give-?back|read-?again|look-?around|let-?go|patient-?pool)/i;

/** Names that are still to be renamed, each with the number of files that use it. The list only shrinks. */
const NAMES_TO_RENAME: Readonly<Record<string, number>> = {
  // a column and a key of the audit log, which stay as they are stored
  isRemembered: 4,
  never_taken_in: 1,
  beside: 1,
  tell: 1,
};

/** Files that are still to be renamed. The list only shrinks. */
const FILES_TO_RENAME: readonly string[] = [];

/** Words that no comment and no title of a test uses of a person or a process. */
const PERSONAL = /\b(?:he|his|him|himself)\b/i;

const LITERAL = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

const withoutComments = (source: string): string => source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[\s;,{(])\/\/[^\n]*/gm, '$1');

/** Texts with a space in them: codes, names and paths have none. */
const textsOf = (source: string): string[] =>
  [...withoutComments(source).matchAll(LITERAL)]
    .map(([text]) => text)
    .filter((text) => text.includes(' ') && !/\b(?:select|update) /.test(text));

const readAll = async (pattern: string): Promise<[string, string][]> => {
  const found: [string, string][] = [];
  for await (const file of glob(pattern, { cwd: ROOT, exclude: (name) => name === 'node_modules' || name === 'dist' }))
    found.push([file, await readFile(join(ROOT, file), 'utf8')]);
  return found;
};

test('texts of the server have no retired terms', async (t) => {
  const sources = [
    ...(await readAll('packages/*/src/**/*.ts')),
    ...(await readAll('apps/{api,cli,ocr-worker,supervisor,sync,watcher}/src/**/*.ts')),
  ];
  t.true(sources.length > 400);
  const found = sources.flatMap(([file, source]) =>
    textsOf(source).flatMap((text) => (RETIRED_PHRASES.test(text) ? [`${file}: ${text}`] : [])),
  );
  t.deepEqual(found, []);
});

test('English messages have no retired terms', async (t) => {
  const [[, catalogue] = ['', '{}']] = await readAll('packages/messages/locales/en.json');
  const messages = Object.entries(JSON.parse(catalogue) as Record<string, string>);
  t.true(messages.length > 100);
  t.deepEqual(
    messages.filter(([, text]) => RETIRED_PHRASES.test(text)),
    [],
  );
});

const NAME = /(?<![\w$'"`.-])#?[A-Za-z_$][\w$]*/g;

/** `lookAround` as look-around, so that words are found whole. */
const wordsOf = (name: string): string[] => {
  const spaced = name
    .replace(/[#$]/g, '')
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
  return [spaced, ...spaced.split('-')];
};
const isRetired = (name: string): boolean => wordsOf(name).some((word) => RETIRED_WORDS.test(word));

const namesOf = (source: string): Set<string> =>
  new Set([...withoutComments(source).replace(LITERAL, "''").matchAll(NAME)].map(([name]) => name));

test('no name in the code is retired', async (t) => {
  const sources = [...(await readAll('packages/*/src/**/*.ts')), ...(await readAll('apps/*/src/**/*.{ts,tsx}'))];
  const found: Record<string, number> = {};
  for (const [, source] of sources) for (const name of namesOf(source)) if (isRetired(name)) found[name] = (found[name] ?? 0) + 1;
  t.deepEqual(found, NAMES_TO_RENAME);
  t.true(isRetired('lookAround') && isRetired('TOLD_HERE') && isRetired('#giveBack') && !isRetired('retell') && !isRetired('hearsay'));
});

test('no name of a file is retired', async (t) => {
  const files = [...(await readAll('{apps,packages}/*/src/**/*.{ts,tsx}')), ...(await readAll('tests/**/*.ts'))].map(([file]) => file);
  t.deepEqual(files.filter((file) => isRetired(file.replace(/^.*\/|\..*$/g, ''))).toSorted(), FILES_TO_RENAME);
});

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/gm;
const TITLE = /\btest(?:\.\w+)?\(\s*('(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)/g;

test('comments and titles of tests have no retired terms, and call nobody "he"', async (t) => {
  const sources = [...(await readAll('{apps,packages}/*/src/**/*.{ts,tsx}')), ...(await readAll('tests/**/*.ts'))].filter(
    ([file]) => !file.endsWith('retired-terms.test.ts'),
  );
  const texts = sources.flatMap(([file, source]) =>
    [...source.matchAll(COMMENT), ...(file.startsWith('tests/') ? source.matchAll(TITLE) : [])].map(([text]) => `${file}: ${text}`),
  );
  t.true(texts.length > 5_000);
  t.deepEqual(
    texts.filter((text) => PERSONAL.test(text) || RETIRED_PHRASES.test(text)),
    [],
  );
});

test('the glossary has at most 60 entries, each term once', async (t) => {
  const [[, glossary] = ['', '']] = await readAll('docs/contributing/glossary.md');
  const terms = [...glossary.matchAll(/^\| ([^|]+?) \|/gm)].map(([, term]) => term).slice(2);
  t.true(terms.length > 20 && terms.length <= 60, `${terms.length} entries`);
  t.is(new Set(terms).size, terms.length);
});
