import { areUnchanged, planPages } from '@sheaf/api/testing';
import { AppError } from '@sheaf/contract';
import { type PageOperation, pageEditRequest } from '@sheaf/contract/documents';
import { MAX_EDITED_PAGES } from '@sheaf/vocabulary/limits';
import test from 'ava';
import { array, assert, constant, constantFrom, integer, oneof, property, record, shuffledSubarray, subarray, tuple } from 'fast-check';

const [HERE, THERE] = ['0190f0f0-0000-7000-8000-000000000001', '0190f0f0-0000-7000-8000-000000000002'];

/** The parts as texts: page, `'` for each quarter turn, and a star for a page of the other document. */
const planned = (count: number, ...operations: readonly PageOperation[]): string[] =>
  planPages(
    HERE,
    operations,
    new Map([
      [HERE, count],
      [THERE, 3],
    ]),
  ).map((pages) =>
    pages.map(({ documentId, page, rotateBy }) => `${page}${documentId === THERE ? '*' : ''}${"'".repeat(rotateBy / 90)}`).join(' '),
  );

const refused = (count: number, ...operations: readonly PageOperation[]): unknown => {
  try {
    return planned(count, ...operations);
  } catch (error) {
    return error instanceof AppError ? { kind: error.kind, ...error.details } : error;
  }
};

test('pages are turned, deleted, moved, appended and split, each operation on what the one before left', (t) => {
  t.deepEqual(planned(3, { op: 'rotate', pages: [1, 3], by: 90 }, { op: 'rotate', pages: [3], by: 270 }), ["1' 2 3"]);
  t.deepEqual(planned(4, { op: 'delete', pages: [1, 3] }, { op: 'rotate', pages: [2], by: 180 }), ["2 4''"]);
  t.deepEqual(planned(5, { op: 'move', pages: [4, 2], to: 1 }), ['4 2 1 3 5']);
  t.deepEqual(planned(5, { op: 'move', pages: [1, 2], to: 4 }), ['3 4 5 1 2']);
  t.deepEqual(planned(5, { op: 'move', pages: [1], to: 3 }), ['2 3 1 4 5']);
  t.deepEqual(planned(2, { op: 'append', document_id: THERE }), ['1 2 1* 2* 3*']);
  t.deepEqual(planned(2, { op: 'append', document_id: THERE, pages: [3, 1] }, { op: 'move', pages: [3], to: 1 }), ['3* 1 2 1*']);
  t.deepEqual(planned(2, { op: 'append', document_id: HERE, pages: [2] }), ['1 2 2']);
  t.deepEqual(planned(6, { op: 'delete', pages: [1] }, { op: 'split', pages: [5, 3] }), ['2 3', '4 5', '6']);
});

test('pages and positions that are not there are refused, and so is a document without pages', (t) => {
  const unknown = (operation: number, page: number, pageCount: number) => ({
    kind: 'VALIDATION_ERROR',
    reason: 'unknown_pages',
    operation,
    page,
    page_count: pageCount,
  });
  for (const op of ['rotate', 'delete', 'move', 'split'] as const)
    t.deepEqual(refused(3, { op: 'delete', pages: [3] }, { op, pages: [1, 3], by: 90, to: 1 }), unknown(1, 3, 2), op);
  t.deepEqual(refused(3, { op: 'move', pages: [1, 2], to: 3 }), unknown(0, 3, 2));
  t.deepEqual(refused(9, { op: 'append', document_id: THERE, pages: [4] }), unknown(0, 4, 3));
  t.like(refused(2, { op: 'delete', pages: [2, 1] }), { reason: 'no_pages_left', operation: 0 });
  t.like(refused(2, { op: 'split', pages: [1] }), { reason: 'empty_part', operation: 0 });
  t.like(refused(MAX_EDITED_PAGES + 1, { op: 'delete', pages: [1] }), { reason: 'too_many_pages', limit: MAX_EDITED_PAGES });
  t.like(refused(MAX_EDITED_PAGES, { op: 'append', document_id: THERE, pages: [1] }), { reason: 'too_many_pages' });
});

test('a request names each page once and splits last', (t) => {
  const isGood = (...operations: readonly unknown[]) => pageEditRequest.safeParse({ operations }).success;
  t.true(isGood({ op: 'delete', pages: [2] }, { op: 'split', pages: [2] }));
  t.false(isGood({ op: 'split', pages: [2] }, { op: 'delete', pages: [2] }));
  t.false(isGood({ op: 'rotate', pages: [2, 2], by: 90 }));
  t.false(isGood({ op: 'rotate', pages: [1], by: 45 }));
  t.false(isGood({ op: 'delete', pages: [0] }));
  t.false(isGood({ op: 'delete', pages: [] }));
  t.false(isGood({ op: 'delete', pages: [1], by: 90 }));
  t.false(isGood());
  const appended = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ op: 'append', document_id: `0190f0f0-0000-7000-8000-${String(at).padStart(12, '0')}` }));
  t.true(isGood(...appended(100), { op: 'delete', pages: [1] }));
  t.false(isGood(...appended(101)));
});

/** Operations that are good for a document of `count` pages, none of which deletes or appends. */
const orders = (count: number) =>
  array(
    oneof(
      record({
        op: constant('rotate' as const),
        pages: subarray(
          Array.from({ length: count }, (_, at) => at + 1),
          { minLength: 1 },
        ),
        by: constantFrom(90 as const, 180 as const, 270 as const),
      }),
      shuffledSubarray(
        Array.from({ length: count }, (_, at) => at + 1),
        { minLength: 1 },
      ).chain((pages) =>
        record({
          op: constant('move' as const),
          pages: constant(pages),
          to: integer({ min: 1, max: count - pages.length + 1 }),
        }),
      ),
    ),
    { maxLength: 8 },
  );

test('turning and moving lose no page and double none, and moved pages stand where they were moved to', (t) => {
  assert(
    property(
      integer({ min: 1, max: 12 }).chain((count) => tuple(constant(count), orders(count))),
      ([count, operations]) => {
        const counts = new Map([[HERE, count]]);
        const [pages] = planPages(HERE, operations, counts);
        t.deepEqual(
          pages.map(({ page }) => page).toSorted((a, b) => a - b),
          Array.from({ length: count }, (_, at) => at + 1),
        );
        const last = operations.at(-1);
        if (last?.op !== 'move') return;
        const [before] = planPages(HERE, operations.slice(0, -1), counts);
        t.deepEqual(
          pages.slice(last.to - 1, last.to - 1 + last.pages.length),
          last.pages.map((number) => before[number - 1]),
        );
      },
    ),
  );
});

test('four quarter turns, and a way there and back, change nothing', (t) => {
  const isUnchanged = (...operations: readonly PageOperation[]) =>
    areUnchanged(HERE, 3, planPages(HERE, operations, new Map([[HERE, 3]]))[0]);
  t.true(isUnchanged({ op: 'rotate', pages: [1], by: 270 }, { op: 'rotate', pages: [1], by: 90 }));
  t.true(isUnchanged({ op: 'move', pages: [1], to: 3 }, { op: 'move', pages: [3], to: 1 }));
  t.false(isUnchanged({ op: 'rotate', pages: [1], by: 270 }));
  t.false(isUnchanged({ op: 'delete', pages: [3] }));
  t.false(isUnchanged({ op: 'append', document_id: HERE, pages: [3] }));
});
