import test from 'ava';
import { failedFiles, withSecondRun } from '../../runner/rerun-failed.ts';

const FILES = ['tests/unit/search/words.test.ts', 'tests/unit/search/words-of-names.test.ts', 'tests/e2e/web/roles.test.ts'];
const failed = (...failedTitles: string[]) => ({ failedTitles, totals: { passed: 7, failed: failedTitles.length, skipped: 0 } });

test('the files of failed tests are known by their titles, each once', (t) => {
  t.deepEqual(failedFiles(FILES, failed('unit › search › words-of-names › a › b', 'unit › search › words-of-names › c')), [FILES[1]]);
  t.deepEqual(failedFiles(FILES, failed('e2e › web › roles › a', 'unit › search › words › c')), [FILES[2], FILES[0]]);
});

test('where something failed that is no test of a file, no file is named', (t) => {
  t.is(failedFiles(FILES, failed('unit › search › other › a')), undefined);
  t.is(failedFiles(FILES, { failedTitles: [], totals: { passed: 7, failed: 1, skipped: 0 } }), undefined);
});

test('what fails again has failed, what passes alone has passed', (t) => {
  const first = { exitCode: 1, totals: { passed: 10, failed: 3, skipped: 2 }, failedTitles: [] };
  const second = { exitCode: 1, totals: { passed: 4, failed: 1, skipped: 0 }, failedTitles: [] };
  t.like(withSecondRun(first, second), { exitCode: 1, totals: { passed: 12, failed: 1, skipped: 2 } });
  t.like(withSecondRun(first, { ...second, exitCode: 0, totals: { passed: 5, failed: 0, skipped: 0 } }), {
    exitCode: 0,
    totals: { passed: 13, failed: 0, skipped: 2 },
  });
  t.like(withSecondRun(first, { ...second, totals: { passed: 0, failed: 0, skipped: 0 } }), { exitCode: 1, totals: { failed: 1 } });
});
