import { DECISIONS, decide, type FileFacts } from '@sheaf/ingest/testing';
import test from 'ava';

const VALUES = {
  way: ['upload', 'watch', 'source', 'import'],
  path: ['new', 'same', 'changed'],
  document: ['none', 'own', 'other', 'earlier'],
  elsewhere: ['none', 'split', 'deleted', 'gone'],
  replaces: [false, true],
  trashed: [false, true],
} as const satisfies { readonly [Name in keyof FileFacts]: readonly FileFacts[Name][] };

const SIMPLY_NEW: FileFacts = { way: 'upload', path: 'new', document: 'none', elsewhere: 'none', replaces: false, trashed: false };

/** All that may be known of a file at once. */
const everything = (): FileFacts[] =>
  Object.entries(VALUES).reduce<FileFacts[]>(
    (all, [name, values]) => all.flatMap((facts) => values.map((value) => ({ ...facts, [name]: value }))),
    [SIMPLY_NEW],
  );

const CASES: readonly (readonly [title: string, known: Partial<FileFacts>, decision: ReturnType<typeof decide>])[] = [
  ['nothing is known', {}, 'new'],
  ['an archive has what is in the trash', { way: 'import', trashed: true }, 'new'],
  ['an upload whose document is in the trash', { trashed: true }, 'trashed'],
  ['a watched file whose document is in the trash', { way: 'watch', trashed: true }, 'restored'],
  ["a source's file whose document is in the trash", { way: 'source', trashed: true }, 'restored'],
  ['the owner has the bytes', { document: 'other' }, 'duplicate'],
  ['a watched file was touched', { way: 'watch', path: 'same', document: 'own' }, 'known'],
  ['a watched file whose document came again by another way', { way: 'watch', path: 'same', document: 'other' }, 'duplicate'],
  ["a source's file whose document came again by another way", { way: 'source', path: 'same', document: 'other' }, 'known'],
  ['a touched file under whose document is another one by now', { way: 'watch', path: 'same', document: 'earlier' }, 'replaced'],
  ['a touched file whose document was deleted', { way: 'watch', path: 'same' }, 'deleted'],
  ['a touch does not restore what was deleted', { way: 'watch', path: 'same', trashed: true }, 'deleted'],
  ['a file that was renamed after its document was deleted', { way: 'watch', elsewhere: 'deleted', trashed: true }, 'deleted_elsewhere'],
  ['a file that was renamed after its document was split', { way: 'watch', elsewhere: 'split' }, 'split'],
  ["a source's file has other contents", { way: 'source', path: 'changed', replaces: true }, 'changed'],
  ["a source's file has other contents that are in the trash", { way: 'source', path: 'changed', trashed: true }, 'restored'],
  ["a source's file has the contents of its document again", { way: 'source', path: 'changed', document: 'own' }, 'known'],
  ["a source's file has the contents of another document", { way: 'source', path: 'changed', document: 'other' }, 'duplicate'],
  ["a source's file has another path", { way: 'source', document: 'own', elsewhere: 'gone' }, 'moved'],
  ['it moved, and another file is under its document by now', { way: 'source', document: 'earlier', elsewhere: 'gone' }, 'moved'],
  ['it is under both paths', { way: 'source', document: 'own' }, 'duplicate'],
];

for (const [title, known, decision] of CASES)
  test(`${title}: ${decision}`, (t) => {
    t.is(decide({ ...SIMPLY_NEW, ...known }), decision);
  });

test('each row of the table decides of something, and has a case here', (t) => {
  const rowOf = (facts: FileFacts): number =>
    DECISIONS.findIndex(([matter]) => Object.entries(matter).every(([name, value]) => facts[name as keyof FileFacts] === value));
  const reached = new Set(everything().map(rowOf));
  const tried = new Set(CASES.map(([, known]) => rowOf({ ...SIMPLY_NEW, ...known })));
  for (const [row, [matter, decision]] of DECISIONS.entries()) {
    t.true(reached.has(row), `${JSON.stringify(matter)} is never reached`);
    t.true(tried.has(row), `${JSON.stringify(matter)}: ${decision} has no case`);
  }
});

test('whatever is known, a file whose bytes nobody has here is no duplicate, and one that is here is not made a second time', (t) => {
  for (const facts of everything()) {
    const decision = decide(facts);
    if (facts.document === 'none') t.false(['duplicate', 'known', 'replaced', 'moved'].includes(decision), JSON.stringify(facts));
    else t.false(['new', 'changed', 'restored', 'trashed', 'deleted', 'deleted_elsewhere'].includes(decision), JSON.stringify(facts));
  }
});
