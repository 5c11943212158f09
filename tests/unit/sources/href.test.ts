import { refusalOfParts } from '@sheaf/sources/testing';
import { makeHrefReader, urlBelow } from '@sheaf/sources/testing/webdav';
import test from 'ava';
import { array, assert, constantFrom, property, string } from 'fast-check';

const ROOT = new URL('https://files.example/remote.php/dav/files/ada/');

test('the address made for a path is read back as that path', (t) => {
  const read = makeHrefReader(ROOT);
  const part = string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => refusalOfParts([text]) === undefined);
  assert(
    property(array(part, { minLength: 1, maxLength: 6 }), constantFrom('file' as const, 'folder' as const), (parts, kind) => {
      const path = parts.join('/');
      const url = urlBelow(ROOT, path, kind);
      t.deepEqual(read(url), { kind: 'inside', path, hasSlash: kind === 'folder' });
      // Nothing that a URL parser does on the way to the server changes it.
      t.is(new URL(url).href, url);
      t.deepEqual(read(new URL(url).pathname), { kind: 'inside', path, hasSlash: kind === 'folder' });
    }),
  );
});

test('whatever an address holds, what is inside is a path without ways out', (t) => {
  const read = makeHrefReader(ROOT);
  const piece = constantFrom('..', '.', '%2e%2e', '%2F', '/', '//', 'a', '%00', '%', '%zz', '\\', '\n', '?', '#', 'ada', '%E4', '@', ':');
  assert(
    property(array(piece, { maxLength: 12 }), (pieces) => {
      const place = read(`/remote.php/dav/files/ada/${pieces.join('')}`);
      if (place.kind === 'refused' || place.path === '') return;
      t.is(refusalOfParts(place.path.split('/')), undefined);
    }),
  );
});

test('the root itself is the empty path, in other normal forms too', (t) => {
  const read = makeHrefReader(new URL('https://files.example/d%C3%A4v'));
  t.deepEqual(read('/d%C3%A4v/'), { kind: 'inside', path: '', hasSlash: true });
  t.deepEqual(read('/da%CC%88v'), { kind: 'inside', path: '', hasSlash: false });
  t.deepEqual(read('/da%CC%88v/a%CC%88.txt'), { kind: 'inside', path: 'a\u0308.txt', hasSlash: false });
  t.is(makeHrefReader(new URL('https://files.example'))('/').kind, 'inside');
});
