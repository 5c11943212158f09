import { makeNamePatterns, type WatchedFile } from '@sheaf/storage/folders';
import { refuseListed } from '@sheaf/watcher/testing';
import test from 'ava';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const RULES = {
  patterns: makeNamePatterns({ patterns: ['*'], ignorePatterns: ['.*'] }),
  allowedExtensions: ['pdf', 'txt'],
  maxBytes: 1_000,
  maxAgeMs: 24 * HOUR_MS,
};

const file = (name: string, changes: Partial<WatchedFile['facts']> & Partial<Pick<WatchedFile, 'sort'>> = {}): WatchedFile => ({
  name,
  path: `in/${name}`,
  fsPath: `/watch/in/${name}`,
  sort: changes.sort ?? 'file',
  facts: { sizeBytes: 10, modifiedMs: NOW.getTime() - HOUR_MS, changedMs: 0, inode: 1, ...changes },
});

const refuse = (seen: WatchedFile, waits = false) => refuseListed(seen, RULES, NOW, waits);

test('a file of an allowed type, small and young, is worth a closer look', (t) => {
  t.is(refuse(file('a.pdf')), undefined);
  t.is(refuse(file('a.pdf', { sizeBytes: 1_000 })), undefined);
  t.is(refuse(file('empty.txt', { sizeBytes: 0 })), undefined);
});

test('links, devices and ignored names are refused at sight', (t) => {
  t.is(refuse(file('a.pdf', { sort: 'symlink' }))?.code, 'symbolic_link');
  t.is(refuse(file('a.pdf', { sort: 'other' }))?.code, 'not_a_file');
  t.like(refuse(file('.a.pdf')), { code: 'ignored_name', details: { pattern: '.*' } });
});

test('a type that cannot be read, is not allowed, or is not told is refused', (t) => {
  t.like(refuse(file('a.exe')), { code: 'unknown_type', details: { extension: 'exe' } });
  t.like(refuse(file('a.docx')), { code: 'type_not_allowed', details: { extension: 'docx', allowed_types: ['pdf', 'txt'] } });
  t.like(refuse(file('README')), { code: 'unknown_type', details: { extension: '' } });
});

test('what is too large is refused', (t) => {
  t.like(refuse(file('a.pdf', { sizeBytes: 1_001 })), { code: 'too_large', details: { max_bytes: 1_000 } });
});

test('what is too old is refused, unless it was young when it began to wait', (t) => {
  const old = file('a.pdf', { modifiedMs: NOW.getTime() - 25 * HOUR_MS });
  t.like(refuse(old), { code: 'too_old', details: { modified_at: '2026-11-19T11:00:00.000Z', max_age_seconds: 86_400 } });
  t.is(refuse(old, true), undefined);
  t.is(refuseListed(old, { ...RULES, maxAgeMs: 0 }, NOW, false), undefined);
});

test('a file from the future is not too old', (t) => {
  t.is(refuse(file('a.pdf', { modifiedMs: NOW.getTime() + 48 * HOUR_MS })), undefined);
});
