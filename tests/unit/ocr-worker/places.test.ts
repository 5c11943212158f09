import { freePlaces, isCrowded, mostDocuments, nextLongMs, type PlacedJob } from '@sheaf/ocr-worker/testing';
import test from 'ava';

const TWO_CORES = { slots: 1, readers: 2 };

const job = (more: Partial<PlacedJob> = {}): PlacedJob => ({ place: 'any', elapsedMs: 10, pagesToRecognise: 0, ...more });
const times = (count: number, placed: PlacedJob): PlacedJob[] => Array.from({ length: count }, () => placed);

const isFree = (...running: PlacedJob[]): boolean => freePlaces(running, TWO_CORES).includes('any');

test('a document with pages to recognise makes room for the next at once, one without only after a second', (t) => {
  t.true(isFree());
  t.false(isFree(job()));
  t.true(isFree(job({ pagesToRecognise: 1 })));
  t.true(isFree(job({ elapsedMs: 1_000 })));
  t.false(isFree(job({ pagesToRecognise: 1 }), job()));
});

test('as many documents are under way as keep every page reader busy, and a page waiting for each', (t) => {
  const recognised = job({ pagesToRecognise: 1 });
  t.true(isFree(...times(3, recognised)));
  t.false(isFree(...times(4, recognised)));
  t.true(isCrowded(times(4, recognised), TWO_CORES));
  const sixteenCores = { slots: 8, readers: 16 };
  t.deepEqual(freePlaces(times(17, recognised), sixteenCores)[0], 'any');
  t.true(isCrowded(times(18, recognised), sixteenCores));
  t.is(mostDocuments(sixteenCores), 18 + 5, 'with those of urgent and short documents');
  t.is(mostDocuments({ slots: 8, readers: 2 }), 11 + 5);
});

test('a document with more pages than the readers can take makes no room before its second is over: other hosts may have readers that are idle', (t) => {
  t.false(isFree(job({ pagesToRecognise: 12 })));
  t.true(isFree(job({ pagesToRecognise: 12, elapsedMs: 1_000 })));
  t.true(isFree(job({ pagesToRecognise: 2 })));
  t.false(isFree(job({ pagesToRecognise: 2 }), job({ pagesToRecognise: 2 })));
  t.is(nextLongMs([job({ pagesToRecognise: 12 })]), undefined, 'nothing is won by looking sooner than usual');
});

test('the next document is looked for when one becomes a long one', (t) => {
  t.is(nextLongMs([]), undefined);
  t.is(nextLongMs([job({ elapsedMs: 200 }), job({ elapsedMs: 700 })]), 300);
  t.is(nextLongMs([job({ pagesToRecognise: 1 }), job({ elapsedMs: 1_000 }), job({ place: 'short' })]), undefined);
});
