import { cleanFilename } from '@sheaf/ingest';
import { parseQuery, readTokens } from '@sheaf/search/testing';
import { readMultistatus } from '@sheaf/sources/testing/webdav';
import { compileGlob } from '@sheaf/storage/testing/folders';
import test from 'ava';
import { growthOf, MAX_LINEAR_GROWTH } from '../../support/growth.ts';

async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

const readAnswer = async (text: string): Promise<void> => {
  try {
    for await (const _ of readMultistatus(inPieces(text)));
  } catch {
    // refused is as good: what counts is how long that takes
  }
};

const repeated =
  (text: string, before = '') =>
  (size: number) =>
    before + text.repeat(size);
const OPEN = '<d:multistatus xmlns:d="DAV:">';
const glob = compileGlob('{a*b*c*d,**/*?*}');

const CASES: Readonly<Record<string, readonly [make: (size: number) => string, run: (text: string) => unknown]>> = {
  'an answer to PROPFIND': [
    repeated('<d:response><d:href>/a</d:href><d:propstat><d:prop><d:getetag>x</d:getetag></d:prop></d:propstat></d:response>', OPEN),
    readAnswer,
  ],
  'an answer of comments': [repeated('<!--', OPEN), readAnswer],
  'an answer of empty elements': [repeated('<d:x/>', OPEN), readAnswer],
  'a query of words': [repeated('word '), parseQuery],
  'a query of quotes': [repeated('"'), parseQuery],
  'a query of days': [repeated('date:2024..2025 '), parseQuery],
  'a day without end': [repeated('date:>=20..'), parseQuery],
  'a number without end': [(length) => `asn:${'1'.repeat(length)}`, parseQuery],
  'a query of stars': [repeated('*'), parseQuery],
  'a query of signs': [repeated('-+("'), parseQuery],
  'a query of other fields': [repeated('a:b '), parseQuery],
  'a query of Paperless-ngx': [repeated('tag:a (b) [c to d] '), readTokens],
  'a query of Paperless-ngx of open quotes': [repeated("'"), readTokens],
  'a query of Paperless-ngx of names': [repeated('a:'), readTokens],
  'a file name': [repeated('a/'), cleanFilename],
  'a file name of spaces': [repeated(' '), cleanFilename],
  'a file name of dots': [repeated('.'), cleanFilename],
  'a name and a pattern': [repeated('abc'), (name: string) => (glob.follow ?? glob.matches)(name)],
};

for (const [what, [make, run]] of Object.entries(CASES)) {
  test.serial(`takes time in proportion to its input: ${what}`, async (t) => {
    t.true((await growthOf(make, run, 500)) <= MAX_LINEAR_GROWTH);
  });
}
