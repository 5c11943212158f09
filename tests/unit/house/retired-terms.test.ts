import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';

const ROOT = join(import.meta.dirname, '../../..');

/** Terms that the glossary (docs/contributing/glossary.md) replaces, as they would stand in a text. */
const RETIRED_PHRASES =
  /\b(?:taken in|left alone|way in|may come in|let in again|is here already|same bytes|read badly|badly read|given? back|put back|found right|is given up|ended itself|round failed|error of our own|switched (?:on|off)|told of|forgive|typing errors|himself|his|him)\b/i;

/** Names of code that said nothing to a reader who searches for the usual term. */
const RETIRED_NAMES =
  /\b(?:lookAround|orHimself|PatientPool|Hearer|DEEDS|tell(?:Alert|Duplicate|Supervisor|Read|Unread|Rule|Progress|SignedIn|Why)|TellingExporter)\b/;

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

test('no name in the code is retired', async (t) => {
  const sources = [...(await readAll('packages/*/src/**/*.ts')), ...(await readAll('apps/*/src/**/*.{ts,tsx}'))];
  const found = sources.flatMap(([file, source]) => RETIRED_NAMES.exec(source)?.map((name) => `${file}: ${name}`) ?? []);
  t.deepEqual(found, []);
});

test('the glossary has at most 60 entries, each term once', async (t) => {
  const [[, glossary] = ['', '']] = await readAll('docs/contributing/glossary.md');
  const terms = [...glossary.matchAll(/^\| ([^|]+?) \|/gm)].map(([, term]) => term).slice(2);
  t.true(terms.length > 20 && terms.length <= 60, `${terms.length} entries`);
  t.is(new Set(terms).size, terms.length);
});
