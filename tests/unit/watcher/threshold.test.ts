import { Threshold } from '@sheaf/watcher/testing';
import test from 'ava';

const settings = { raiseAbove: 0.8, clearBelow: 0.75, looks: 2 };

test('a value counts when it was too high as often as wanted, without a break', (t) => {
  const threshold = new Threshold(settings);
  t.deepEqual(
    [0.9, 0.8, 0.9, 0.81].map((value) => threshold.look(value)),
    [false, false, false, true],
  );
});

test('a value about the limit neither raises nor clears again and again', (t) => {
  const threshold = new Threshold(settings);
  t.deepEqual(
    [0.9, 0.9, 0.79, 0.81, 0.76, 0.75, 0.81].map((value) => threshold.look(value)),
    [false, true, true, true, true, false, false],
  );
});

test('what was raised before the process began stays so until it is right', (t) => {
  const threshold = new Threshold(settings, true);
  t.deepEqual(
    [0.78, 0.7].map((value) => threshold.look(value)),
    [true, false],
  );
});
