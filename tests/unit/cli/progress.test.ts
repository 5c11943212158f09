import { formatDuration, Progress } from '@sheaf/cli/testing';
import test from 'ava';

/** A progress with a clock of its own, and what it has written. */
const openProgress = (settings: { isTerminal?: boolean; isVerbose?: boolean } = {}) => {
  let nowMs = 0;
  let written = '';
  const write = (text: string): unknown => (written += text);
  const progress = new Progress({ write, isTerminal: false, isVerbose: false, now: () => nowMs, ...settings });
  return {
    progress,
    wait: (ms: number): void => {
      nowMs += ms;
      progress.tick();
    },
    take: (): string => {
      const text = written;
      written = '';
      return text;
    },
  };
};

test('on a terminal the bar shows part, files, rate and the time that is left', (t) => {
  const { progress, wait, take } = openProgress({ isTerminal: true });
  progress.begin('moving', { files: 4, bytes: 40_000_000 });
  progress.advance(10_000_000);
  t.is(take(), '', 'not drawn for every file');
  wait(5_000);
  t.is(take(), '\r\u001b[Kmoving [######------------------] 25 % 1/4 files, 2.0 MB/s, 15 s left');
});

test('in a pipe it is quiet but for lines for people', (t) => {
  const { progress, wait, take } = openProgress();
  progress.begin('moving', { files: 2, bytes: 20_000_000 });
  progress.advance(10_000_000);
  wait(60_000);
  t.is(take(), '');
  progress.line('damaged  something');
  t.is(take(), 'damaged  something\n');
});

test('what has no bytes is told by its number, with what it is', (t) => {
  const { progress, wait, take } = openProgress({ isTerminal: true });
  progress.begin('search-entries', { files: 400, bytes: 0, unit: 'documents' });
  progress.reach(100);
  wait(2_000);
  t.is(take(), '\r\u001b[Ksearch-entries [######------------------] 25 % 100/400 documents, 50/s, 6 s left');
});

test('a line for people stands in the place of the bar, which is drawn again below it', (t) => {
  const { progress, wait, take } = openProgress({ isTerminal: true });
  progress.begin('moving', { files: 2, bytes: 0 });
  progress.advance(0);
  wait(1_000);
  take();
  progress.line('damaged  something');
  t.is(take(), '\r\u001b[Kdamaged  something\n');
  wait(1_000);
  t.regex(take(), /moving .* 50 % 1\/2 files/);
  progress.end();
  t.is(take(), '\r\u001b[K');
  wait(1_000);
  t.is(take(), '');
});

test('lines for single files are written only where they were asked for', (t) => {
  const [quiet, verbose] = [openProgress(), openProgress({ isVerbose: true })];
  for (const { progress } of [quiet, verbose]) progress.detail('moved    x');
  t.is(quiet.take(), '');
  t.is(verbose.take(), 'moved    x\n');
});

test('what has no known end, and more than was announced, are shown as they are', (t) => {
  const { progress, wait, take } = openProgress({ isTerminal: true });
  progress.begin('removing old copies');
  progress.advance(0);
  wait(10_000);
  t.is(take(), '\r\u001b[Kremoving old copies: 1 files, 0/s');
  progress.begin('moving', { files: 1, bytes: 10 });
  progress.advance(10);
  progress.advance(10);
  wait(10_000);
  t.regex(take(), /\[#{24}\] 100 % 2\/1 files, 0\.0 MB\/s$/);
});

test('a duration is told in two units at most', (t) => {
  t.deepEqual([0.2, 59, 61, 3_600, 7_384].map(formatDuration), ['1 s', '59 s', '1 min 01 s', '1 h 00 min', '2 h 03 min']);
});
