import { dateInName, PathPattern, PatternError } from '@sheaf/imports/testing';
import test from 'ava';
import { threadCpuMs } from '../../support/thread-cpu-ms.ts';

const NOW = new Date('2026-11-25T00:00:00Z');

test('a pattern says what the parts of a path are', (t) => {
  const pattern = new PathPattern('{correspondent}/{year}/{date} {title}');
  t.like(pattern.match(['Stadtwerke Nordheim', '2023', '2023-04-05 Invoice 17']), {
    correspondent: 'Stadtwerke Nordheim',
    title: 'Invoice 17',
    documentDate: '2023-04-05',
    labels: [],
  });
  t.is(pattern.match(['Stadtwerke', '2023', 'Invoice 17']), undefined, 'a date is wanted');
  t.is(pattern.match(['Stadtwerke', 'x', '2023-04-05 a']), undefined, 'a year has four digits');
  t.is(pattern.match(['Stadtwerke', '2023-04-05 a']), undefined, 'a folder is missing');
  t.is(pattern.match(['a', 'Stadtwerke', '2023', '2023-04-05 a']), undefined, 'there is a folder more');
});

test('{labels} takes as many folders as the other parts leave, also none', (t) => {
  const pattern = new PathPattern('{correspondent}/{labels}/{title}');
  t.deepEqual(pattern.match(['ACME', 'Finance', 'Tax', 'a'])?.labels, [['Finance', 'Tax']]);
  t.deepEqual(pattern.match(['ACME', 'a'])?.labels, []);
  t.is(pattern.match(['a']), undefined, 'the correspondent is missing');
  const labelled = new PathPattern('{label}/{any}/{archive_number}_{title}').match(['Tax', 'x', '0017_b_c']);
  t.like(labelled, { labels: [['Tax']], archiveNumber: 17, title: 'b_c' });
  t.is(new PathPattern('{year}/{month}/{day}/{title}').match(['2024', '2', '29', 'a'])?.documentDate, '2024-02-29');
  t.is(new PathPattern('{year}/{month}/{day}/{title}').match(['2023', '2', '29', 'a'])?.documentDate, undefined, 'there is no such day');
  t.is(new PathPattern('{year}/{title}').match(['2023', 'a'])?.documentDate, undefined, 'a year is no day');
});

test('a pattern that cannot be used is refused, and says why', (t) => {
  for (const [pattern, said] of [
    ['{sender}/{title}', '{sender}'],
    ['{title', 'brace'],
    ['{correspondent}{title}', 'between'],
    ['{correspondent}//{title}', 'empty'],
    ['{labels}', 'folders'],
    ['{labels}/{labels}/{title}', 'once'],
    ['a{labels}/{title}', 'whole'],
    [`${'{any}/'.repeat(99)}{title}`, 'at most'],
  ] as const)
    t.true(t.throws(() => new PathPattern(pattern), { instanceOf: PatternError })?.message.includes(said), pattern);
});

test('a long name costs no more than reading it', (t) => {
  const pattern = new PathPattern(`${'{any} '.repeat(40)}x{title}`);
  const beganMs = threadCpuMs();
  t.is(pattern.match([' a'.repeat(100_000)]), undefined);
  t.is(dateInName('2023-'.repeat(100_000), NOW), undefined);
  t.true(threadCpuMs() - beganMs < 5_000);
});

test('the day in a name of a file', (t) => {
  for (const [name, day] of [
    ['2023-04-05 Invoice.pdf', '2023-04-05'],
    ['IMG_20230405_120000.jpg', '2023-04-05'],
    ['scan 2023_04_05', '2023-04-05'],
    ['Rechnung 05.04.2023', '2023-04-05'],
    ['Letter 04-25-2023', '2023-04-25'],
    ['2023-02-30', undefined],
    ['2023-13-13', undefined],
    ['1234567890123', undefined],
    ['18991231', undefined],
    ['2099-01-01', undefined],
    ['a 2023', undefined],
    ['2023-99-99 and 2022-01-02', '2022-01-02'],
  ] as const)
    t.is(dateInName(name, NOW), day, name);
});
