import { type FileVersion, isContradiction, isSameVersion, isStrongEtag } from '@sheaf/sources/testing';
import test from 'ava';

const version = (given: Partial<FileVersion>): FileVersion => ({ sizeBytes: undefined, modifiedAt: undefined, etag: undefined, ...given });

test('one tag is one version, weak or strong, and another tag another one unless size and date agree', (t) => {
  const date = new Date('2026-11-20T10:00:00.400Z');
  t.true(isSameVersion(version({ etag: '"a"' }), version({ etag: 'W/"a"' })));
  t.false(isSameVersion(version({ etag: '"a"' }), version({ etag: '"b"' })));
  const listed = version({ etag: '"a"', sizeBytes: 5, modifiedAt: date });
  t.true(isSameVersion(listed, version({ etag: '"b"', sizeBytes: 5, modifiedAt: new Date('2026-11-20T10:00:00Z') })));
  t.false(isSameVersion(listed, version({ etag: '"b"', sizeBytes: 6, modifiedAt: date })));
  t.false(isSameVersion(listed, version({ etag: '"b"', sizeBytes: 5, modifiedAt: new Date('2026-11-20T10:00:01Z') })));
  t.false(isSameVersion(version({ etag: '"a"', sizeBytes: 5 }), version({ etag: '"b"', sizeBytes: 5 })));
});

test('without anything in common nothing is known, and a size alone proves no sameness', (t) => {
  t.is(isSameVersion(version({}), version({})), undefined);
  t.is(isSameVersion(version({ sizeBytes: 5 }), version({ sizeBytes: 5 })), undefined);
  t.false(isSameVersion(version({ sizeBytes: 5 }), version({ sizeBytes: 6 })));
});

test('one tag for two lengths is a contradiction', (t) => {
  t.true(isContradiction(version({ etag: '"a"', sizeBytes: 5 }), version({ etag: '"a"', sizeBytes: 6 })));
  t.false(isContradiction(version({ etag: '"a"', sizeBytes: 5 }), version({ etag: '"b"', sizeBytes: 6 })));
  t.false(isContradiction(version({ sizeBytes: 5 }), version({ sizeBytes: 6 })));
});

test('only a strong tag in quotes is asked for', (t) => {
  t.deepEqual(['"a"', 'W/"a"', 'a', '""', '"a"b"', undefined].map(isStrongEtag), [true, false, false, false, false, false]);
});
