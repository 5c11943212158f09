import type { PageOperation } from '@sheaf/contract/documents';
import {
  appendSheets,
  documentCount,
  moveSheets,
  moveSheetsTo,
  operationsOf,
  removeSheets,
  type Sheets,
  sheetsOf,
  splitSheets,
  stepSheets,
  turnSheets,
} from '@sheaf/web/testing';
import test from 'ava';

const PAGES = 6;
const own = (...pages: readonly number[]): ReadonlySet<string> => new Set(pages.map((page) => `0-${page}`));
const added = (...pages: readonly number[]): ReadonlySet<string> => new Set(pages.map((page) => `1-${page}`));
const first = (): Sheets => sheetsOf('this', PAGES);
const order = (sheets: Sheets): string[] => sheets.map(({ key }) => key);

/** A page as the service has it while it applies operations. */
interface Page {
  readonly name: string;
  readonly turn: number;
}

/** What the service makes of operations, as its description says: page numbers are those that the operations before have left. */
const apply = (operations: readonly PageOperation[]): readonly (readonly Page[])[] => {
  let pages: Page[] = sheetsOf('this', PAGES).map(({ key }) => ({ name: key, turn: 0 }));
  for (const operation of operations) {
    const numbers = operation.pages ?? [];
    const at = (number: number): Page => pages[number - 1] ?? { name: `no page ${number}`, turn: 0 };
    const rest = (): Page[] => pages.filter((_, index) => !numbers.includes(index + 1));
    switch (operation.op) {
      case 'append':
        pages = [...pages, ...numbers.map((page) => ({ name: `1-${page}`, turn: 0 }))];
        break;
      case 'delete':
        pages = rest();
        break;
      case 'move': {
        const [moved, others] = [numbers.map(at), rest()];
        pages = [...others.slice(0, operation.to - 1), ...moved, ...others.slice(operation.to - 1)];
        break;
      }
      case 'rotate':
        pages = pages.map((page, index) => (numbers.includes(index + 1) ? { ...page, turn: (page.turn + operation.by) % 360 } : page));
        break;
      case 'split':
        return [0, ...numbers.map((number) => number - 1)].map((start, index) =>
          pages.slice(start, (numbers[index] ?? pages.length + 1) - 1),
        );
    }
  }
  return [pages];
};

const wanted = (sheets: Sheets): readonly (readonly Page[])[] => {
  const parts: Page[][] = [];
  for (const { key, turn, startsDocument } of sheets) {
    if (parts.length === 0 || startsDocument) parts.push([]);
    parts.at(-1)?.push({ name: key, turn });
  }
  return parts;
};

test('pages that were moved, turned, deleted, appended and split are described in few operations', (t) => {
  let sheets = appendSheets(first(), 'other', 3, 1);
  sheets = removeSheets(sheets, new Set([...own(2), ...added(1)]));
  sheets = moveSheets(sheets, added(3), 0);
  sheets = turnSheets(turnSheets(sheets, own(1, 4), 90), own(4), 90);
  sheets = turnSheets(sheets, own(6), 270);
  sheets = splitSheets(sheets, own(5));
  const operations = operationsOf(PAGES, sheets);
  t.deepEqual(operations, [
    { op: 'append', document_id: 'other', pages: [2, 3] },
    { op: 'delete', pages: [2] },
    { op: 'move', pages: [7, 1, 2, 3, 4, 5, 6], to: 1 },
    { op: 'rotate', by: 90, pages: [2] },
    { op: 'rotate', by: 180, pages: [4] },
    { op: 'rotate', by: 270, pages: [6] },
    { op: 'split', pages: [5] },
  ]);
  t.deepEqual(apply(operations), wanted(sheets));
});

test('what leads back to the pages as they are is no operation', (t) => {
  t.deepEqual(operationsOf(PAGES, first()), []);
  t.deepEqual(operationsOf(PAGES, turnSheets(turnSheets(first(), own(3), 90), own(3), 270)), []);
  t.deepEqual(operationsOf(PAGES, stepSheets(stepSheets(first(), own(3), 1), own(3), -1)), []);
  t.deepEqual(operationsOf(PAGES, removeSheets(appendSheets(first(), 'other', 2, 1), added(1, 2))), []);
  t.deepEqual(operationsOf(PAGES, splitSheets(splitSheets(first(), own(3)), own(3))), []);
});

test('all pages may give way to those of another document', (t) => {
  const sheets = removeSheets(appendSheets(first(), 'other', 2, 1), own(1, 2, 3, 4, 5, 6));
  const operations = operationsOf(PAGES, sheets);
  t.deepEqual(
    operations.map(({ op }) => op),
    ['append', 'delete'],
  );
  t.deepEqual(apply(operations), wanted(sheets));
});

test('only what lies between the first and the last page out of place is moved', (t) => {
  t.deepEqual(operationsOf(PAGES, moveSheets(first(), own(3), 4)), [{ op: 'move', pages: [4, 3], to: 3 }]);
});

test('any order of edits is described by its operations', (t) => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let run = 0; run < 200; run++) {
    let sheets = first();
    for (let step = 0; step < 8; step++) {
      const some = new Set(order(sheets).filter(() => random(3) === 0));
      const edits: readonly (() => Sheets)[] = [
        () => turnSheets(sheets, some, random(2) === 0 ? 90 : 270),
        () => (some.size === sheets.length ? sheets : removeSheets(sheets, some)),
        () => moveSheets(sheets, some, random(sheets.length + 1)),
        () => stepSheets(sheets, some, random(2) === 0 ? -1 : 1),
        () => moveSheetsTo(sheets, some, 1 + random(sheets.length)),
        () => splitSheets(sheets, some),
        () => (sheets.some(({ addition }) => addition === 1) ? sheets : appendSheets(sheets, 'other', 3, 1)),
      ];
      sheets = edits[random(edits.length)]?.() ?? sheets;
    }
    t.false(sheets[0]?.startsDocument);
    t.deepEqual(apply(operationsOf(PAGES, sheets)), wanted(sheets));
  }
});

test('pages move together, and stay at the ends', (t) => {
  t.deepEqual(order(stepSheets(first(), own(2, 5), -1)), ['0-2', '0-5', '0-1', '0-3', '0-4', '0-6']);
  t.deepEqual(order(stepSheets(first(), own(2, 5), 1)), ['0-1', '0-3', '0-4', '0-6', '0-2', '0-5']);
  const sheets = first();
  t.is(stepSheets(sheets, own(1), -1), sheets, 'no step that could be undone');
  t.is(stepSheets(sheets, own(), 1), sheets);
  t.deepEqual(order(moveSheetsTo(sheets, own(1, 2), 3)), ['0-3', '0-4', '0-1', '0-2', '0-5', '0-6']);
  t.deepEqual(order(moveSheetsTo(sheets, own(1), 99)), ['0-2', '0-3', '0-4', '0-5', '0-6', '0-1']);
});

test('where a page goes at which a document begins, the next one begins it; the first page begins none', (t) => {
  const split = splitSheets(first(), own(1, 3, 5));
  t.is(documentCount(split), 3);
  const starts = (sheets: Sheets): string[] => sheets.filter(({ startsDocument }) => startsDocument).map(({ key }) => key);
  t.deepEqual(starts(split), ['0-3', '0-5']);
  t.deepEqual(starts(removeSheets(split, own(3))), ['0-4', '0-5']);
  t.deepEqual(starts(removeSheets(split, own(3, 4, 5, 6))), []);
  t.deepEqual(starts(removeSheets(split, own(1, 2))), ['0-5']);
  t.deepEqual(starts(moveSheets(split, own(3), 0)), ['0-5']);
  t.deepEqual(starts(splitSheets(split, own(3, 4))), ['0-3', '0-4', '0-5'], 'some of them begin none yet');
  t.deepEqual(starts(splitSheets(split, own(3, 5))), []);
});
