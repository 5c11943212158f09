// Every variable has a test of what it does: the table in tests/spec/variable-behaviour.ts is compared with the sources of the tests.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VARIABLES } from '@sheaf/config';
import test from 'ava';
import { type BehaviourTest, VARIABLE_BEHAVIOUR } from '../../spec/variable-behaviour.ts';
import { findTestSource, isFieldOf, setsVariable } from './test-sources.ts';

const TESTS = join(import.meta.dirname, '../..');
const CONFIG = join(TESTS, '../packages/config/src');

/** Tests of the configuration itself: they prove that a value arrives, not that it does anything. */
const IS_ARRIVAL = /^(spec\/configuration|unit\/config\/|unit\/house\/|unit\/deploy\/)/;

const configSources = async (): Promise<string> => {
  const texts: string[] = [];
  for await (const file of glob('*.ts', { cwd: CONFIG, exclude: (name) => /-?variables\.ts$|checks\.ts$|aliases\.ts$/.test(name) }))
    texts.push(await readFile(join(CONFIG, file), 'utf8'));
  return texts.join('\n');
};

/** What is wrong with a row, if anything. */
const judge = async (name: string, { file, title, field }: BehaviourTest, sources: string): Promise<string | undefined> => {
  if (IS_ARRIVAL.test(file)) return `${name}: ${file} tests that values arrive, not what they do`;
  const text = await readFile(join(TESTS, file), 'utf8').catch(() => undefined);
  if (text === undefined) return `${name}: there is no ${file}`;
  const source = findTestSource(text, title);
  if (source === undefined) return `${name}: ${file} has not exactly one test "${title}" that runs`;
  if (field !== undefined && !isFieldOf(sources, field, name)) return `${name} does not become a field "${field}" of the configuration`;
  return setsVariable(source, name, field) ? undefined : `${name}: the test "${title}" of ${file} sets neither it nor its field`;
};

test('each variable has a test that changing it changes what the service does', async (t) => {
  const sources = await configSources();
  t.true(sources.includes('toConfig'), 'the sources of the configuration were found');
  const names = Object.keys(VARIABLES);
  t.true(names.length > 240);
  const rows: Readonly<Record<string, BehaviourTest | undefined>> = VARIABLE_BEHAVIOUR;
  t.deepEqual(
    names.filter((name) => rows[name] === undefined),
    [],
    'variables without a row',
  );
  const wrong = await Promise.all(
    Object.entries(rows).map(async ([name, row]) => (row === undefined ? undefined : judge(name, row, sources))),
  );
  t.deepEqual(
    wrong.filter((line) => line !== undefined),
    [],
  );
});

const FILE = `
import test from 'ava';
const SETTINGS = { OCR_DPI: '200' };
const open = () => start(SETTINGS);
test.beforeEach(() => {});
test('it is read', async (t) => {
  await open();
});
test.skip('it is skipped', (t) => {});
test('it sets another', (t) => {
  start({ dpi: 3, 'not': OCR_PSM });
});
// test('a comment', () => { OCR_DPI });
`;

test('a title that is missing, skipped or a comment is no test, and a variable that is set elsewhere in the file is not set', (t) => {
  const read = findTestSource(FILE, 'it is read') ?? '';
  t.true(setsVariable(read, 'OCR_DPI', undefined), 'by a declaration that a declaration of the test uses');
  t.false(setsVariable(read, 'OCR_PSM', undefined));
  t.false(setsVariable(findTestSource(FILE, 'it sets another') ?? '', 'OCR_DPI', undefined));
  t.true(setsVariable(findTestSource(FILE, 'it sets another') ?? '', 'OCR_DPI', 'dpi'));
  for (const title of ['it is skipped', 'a comment', 'it is', 'nothing']) t.is(findTestSource(FILE, title), undefined, title);
});

test('a field belongs to the variable that it is made from', (t) => {
  const sources = 'const x = { dpi: v.OCR_DPI,\n psm: v.OCR_PSM, lifeMs: v.JWT_EXPIRY_MINUTES * MINUTE };';
  t.true(isFieldOf(sources, 'dpi', 'OCR_DPI'));
  t.true(isFieldOf(sources, 'lifeMs', 'JWT_EXPIRY_MINUTES'));
  t.false(isFieldOf(sources, 'dpi', 'OCR_PSM'));
  t.false(isFieldOf(sources, 'pi', 'OCR_DPI'));
});
