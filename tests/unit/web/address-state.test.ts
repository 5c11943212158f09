import { pageOf, withChanges } from '@sheaf/web/testing';
import test from 'ava';

test('changes are put into the address, beside what is there', (t) => {
  t.is(withChanges('q=rent&sort=byTitle', { sort: 'newest', from: '2026-01-01' }), 'q=rent&sort=newest&from=2026-01-01');
  t.is(withChanges('', { q: 'a b&c=d#ü' }), 'q=a+b%26c%3Dd%23%C3%BC');
});

test('what is undefined or empty leaves the address', (t) => {
  t.is(withChanges('q=rent&page=3', { page: undefined }), 'q=rent');
  t.is(withChanges('q=rent', { q: '' }), '');
  t.is(withChanges('q=rent', {}), 'q=rent');
});

test('a page is a number from 1, whatever stands in the address', (t) => {
  for (const [page, expected] of [
    [undefined, 1],
    ['7', 7],
    ['0', 1],
    ['-3', 1],
    ['2.9', 2],
    ['two', 1],
    ['', 1],
    ['NaN', 1],
  ] as const)
    t.is(pageOf(page === undefined ? {} : { page }), expected, page);
});
