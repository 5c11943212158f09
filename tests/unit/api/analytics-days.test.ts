import { daysOf, toDaySpan, toOcrAnalytics } from '@sheaf/api/testing';
import { AppError } from '@sheaf/contract';
import test from 'ava';

const NOW = new Date('2026-03-01T23:59:59.999Z');

test('figures are of the last 30 days in UTC, today among them, where nothing is said', (t) => {
  const days = daysOf(toDaySpan({}, NOW));
  t.is(days.length, 30);
  t.is(days[0], '2026-01-31');
  t.is(days.at(-1), '2026-03-01');
  t.deepEqual(daysOf(toDaySpan({ days: 1 }, NOW)), ['2026-03-01']);
  t.deepEqual(daysOf(toDaySpan({ days: 2, to: '2024-03-01' }, NOW)), ['2024-02-29', '2024-03-01']);
  t.deepEqual(daysOf(toDaySpan({ from: '2026-02-28' }, NOW)), ['2026-02-28', '2026-03-01']);
  t.is(daysOf(toDaySpan({ from: '2024-01-01', to: '2024-12-31' }, NOW)).length, 366);
});

test('days that make no sense are refused', (t) => {
  for (const query of [
    { days: 3, from: '2026-02-01' },
    { from: '2026-02-02', to: '2026-02-01' },
    { from: '2026-03-02' },
    { from: '2024-01-01', to: '2025-01-01' },
  ])
    t.is(t.throws(() => toDaySpan(query, NOW), { instanceOf: AppError }).status, 400, JSON.stringify(query));
});

test('each day has its line, and a document in two languages counts for both', (t) => {
  const span = toDaySpan({ from: '2026-02-26', to: '2026-02-28' }, NOW);
  const figures = toOcrAnalytics(
    {
      days: [
        { day: '2026-02-26', completed: 3, failed: 1, spentMs: 8_000 },
        { day: '2026-02-28', completed: 1, failed: 0, spentMs: 7_000 },
      ],
      languages: [
        { day: '2026-02-26', language: 'eng+deu', documents: 2, pages: 5 },
        { day: '2026-02-26', language: 'eng', documents: 1, pages: 1 },
        { day: '2026-02-28', language: 'deu', documents: 1, pages: 4 },
      ],
    },
    span,
  );
  t.deepEqual(figures, {
    total_processed: 5,
    success_rate: 0.8,
    average_processing_time: 3,
    languages_used: { eng: 3, deu: 3 },
    daily_stats: [
      { date: '2026-02-26', processed: 4, failed: 1, average_processing_time: 2, pages: 6 },
      { date: '2026-02-27', processed: 0, failed: 0, average_processing_time: 0, pages: 0 },
      { date: '2026-02-28', processed: 1, failed: 0, average_processing_time: 7, pages: 4 },
    ],
  });
  t.like(toOcrAnalytics({ days: [], languages: [] }, span), { total_processed: 0, success_rate: 0, average_processing_time: 0 });
});
