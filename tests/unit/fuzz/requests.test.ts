import { cleanFilename } from '@sheaf/ingest';
import { parseQuery, writeQuery } from '@sheaf/search/testing';
import { SourceError } from '@sheaf/sources';
import { makeHrefReader, readMultistatus } from '@sheaf/sources/testing/webdav';
import { compileGlob, nameToText } from '@sheaf/storage/testing/folders';
import test from 'ava';
import { string, uint8Array } from 'fast-check';
import { fuzz, mutated, spliced } from '../../support/fuzz.ts';

const MAX_NAME_BYTES = 255;

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, 100);
  yield bytes.subarray(100);
}

const answer = Buffer.from(
  '<?xml version="1.0"?><d:multistatus xmlns:d="DAV:"><d:response><d:href>/a/b%20c.pdf</d:href><d:propstat><d:prop><d:resourcetype/><d:getcontentlength>12</d:getcontentlength><d:getetag>"x"</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>',
);

test.serial('an answer to PROPFIND is read, or is an error of the source', async (t) => {
  await fuzz(mutated([answer]), async (bytes) => {
    try {
      for await (const _ of readMultistatus(once(bytes)));
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
    }
  });
  t.pass();
});

test.serial('an address in an answer is a place below the root or is refused', async (t) => {
  const read = makeHrefReader(new URL('https://cloud.example/dav/files/'));
  await fuzz(
    spliced([
      '/',
      '..',
      '.',
      '%2e',
      '%2F',
      '%',
      '%zz',
      'dav',
      'files',
      'a',
      'https://cloud.example',
      '//evil.example',
      '\\',
      '?',
      '#',
      '\0',
      ' ',
      'ä',
      '\ud800',
    ]),
    (text) => {
      read(text);
    },
  );
  t.pass();
});

test.serial('a query of any words can be asked, and written again', async (t) => {
  await fuzz(
    spliced(
      [
        '"',
        "'",
        '-',
        '+',
        '(',
        ')',
        ' ',
        'AND',
        'OR',
        'NOT',
        'title:',
        'label:',
        '*',
        '~',
        'word',
        ':',
        '>',
        '<',
        '=',
        '2020-01-01',
        '..',
        '\\',
        '🗂',
        '\0',
        '\ud800',
      ],
      40,
    ),
    (text) => {
      writeQuery(parseQuery(text));
    },
  );
  t.pass();
});

test.serial('a pattern of any signs is compiled or refused, and says something of any name', async (t) => {
  await fuzz(
    spliced(['*', '**', '/', '?', '[', ']', '!', '^', '{', '}', ',', '..', '(', ')', '|', '+', '@', 'a', '\\', '1', '9'], 20).filter(
      (pattern) => pattern !== '',
    ),
    (pattern) => {
      const glob = compileGlob(pattern);
      for (const name of ['a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', pattern]) (glob.follow ?? glob.matches)(name);
    },
  );
  t.pass();
});

test.serial('any name becomes one that can be kept', async (t) => {
  await fuzz(string({ unit: 'binary', maxLength: 600 }), (name) => {
    const clean = cleanFilename(name);
    if (Buffer.byteLength(clean) > MAX_NAME_BYTES || clean.includes('\0') || clean.includes('/')) throw new Error(JSON.stringify(clean));
  });
  await fuzz(uint8Array({ maxLength: 300 }), (name) => {
    nameToText(Buffer.from(name));
  });
  t.pass();
});
