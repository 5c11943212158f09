import { putOnPages, type Sheet, SheetReader } from '@sheaf/extraction/testing/office';
import { XmlReader } from '@sheaf/sandbox/containers';
import test from 'ava';

const readSheets = (tables: string): readonly Sheet[] => {
  const handler = new SheetReader();
  const reader = new XmlReader(handler, { maxDepth: 100, maxChars: 1_000_000 });
  reader.write(Buffer.from(`<office:spreadsheet>${tables}</office:spreadsheet>`));
  reader.end();
  return handler.sheets;
};

const cell = (text: string, attributes = ''): string => `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;
const row = (...cells: string[]): string => `<table:table-row>${cells.join('')}</table:table-row>`;
const sheet = (name: string, ...rows: string[]): string => `<table:table table:name="${name}">${rows.join('')}</table:table>`;

test('the cells of a row come in their order, with what they hold in several paragraphs', (t) => {
  const two = '<table:table-cell><text:p>two<text:line-break/>lines</text:p><text:p>and one</text:p></table:table-cell>';
  t.deepEqual(readSheets(sheet('A', row(cell('one'), '<table:table-cell/>', two))), [
    { name: 'A', rows: [{ cells: ['one', 'two lines and one'], comments: [] }], shapes: [] },
  ]);
});

test('cells and rows that stand for several are repeated, empty ones are left out', (t) => {
  const [first] = readSheets(
    sheet(
      'A',
      row(cell('x', 'table:number-columns-repeated="3"'), '<table:table-cell table:number-columns-repeated="16000"/>'),
      `<table:table-row table:number-rows-repeated="2">${cell('y')}</table:table-row>`,
      '<table:table-row table:number-rows-repeated="1000000"><table:table-cell/></table:table-row>',
    ),
  );
  t.deepEqual(
    first?.rows.map(({ cells }) => cells),
    [['x', 'x', 'x'], ['y'], ['y']],
  );
});

test('a cell that stands for more than can be kept ends the reading', (t) => {
  const many = `<table:table-row table:number-rows-repeated="1048576">${cell('x'.repeat(500), 'table:number-columns-repeated="16384"')}</table:table-row>`;
  const [first] = readSheets(sheet('A', many));
  const chars = (first?.rows ?? []).reduce((sum, { cells }) => sum + cells.reduce((all, text) => all + text.length, 0), 0);
  t.true(chars > 1_000_000 && chars < 70_000_000, String(chars));
});

test('comments belong to their row, shapes to their sheet', (t) => {
  const commented =
    '<table:table-cell><office:annotation><dc:creator>Ann</dc:creator><text:p>check</text:p><text:p>this</text:p></office:annotation><text:p>12</text:p></table:table-cell>';
  const shape = '<table:shapes><draw:frame><draw:text-box><text:p>a box</text:p></draw:text-box></draw:frame></table:shapes>';
  t.deepEqual(readSheets(sheet('A', shape, row(commented))), [
    { name: 'A', rows: [{ cells: ['12'], comments: ['check this'] }], shapes: ['a box'] },
  ]);
});

const rowsOf = (...rows: string[][]) => rows.map((cells) => ({ cells, comments: [] }));
const sheetOf = (name: string, ...rows: string[][]): Sheet => ({ name, rows: rowsOf(...rows), shapes: [] });

test('each row stands whole on the page where it begins, however it is cut off there', (t) => {
  const sheets = [
    sheetOf('Members', ['Charpentier', 'Messe pour Noel'], ['Goebel', 'Solo for viola'], ['Zelenka', 'Missa votiva']),
    sheetOf('Costs', ['Travel', '1,234.50'], ['Scores', '99.00']),
  ];
  const pages = ['Charpentie Messe pour\nGoebel Solo for', 'Zelenka Missa', 'Noel\nviola', 'Travel 1,23\nScores 99.0'];
  t.deepEqual(putOnPages({ sheets, others: [] }, pages), [
    'Members\nCharpentier\tMesse pour Noel\nGoebel\tSolo for viola',
    'Zelenka\tMissa votiva',
    '',
    'Costs\nTravel\t1,234.50\nScores\t99.00',
  ]);
});

test('what no page shows stands where it belongs, and what stands beside the cells on the page that shows it', (t) => {
  const sheets = [sheetOf('Shown', ['alpha one'], ['hidden row'], ['beta two']), sheetOf('Hidden', ['secret recipe'])];
  t.deepEqual(putOnPages({ sheets, others: ['Chart of bets', 'nowhere'] }, ['alpha one\nbeta two\nChart of bets', 'end']), [
    'Shown\nalpha one\nhidden row\nbeta two\nHidden\nsecret recipe\nChart of bets',
    'nowhere',
  ]);
});

test('a row that looks like one of the next page does not move what follows it', (t) => {
  const sheets = [sheetOf('A', ['apples'], ['pears'], ['total'], ['cherries'], ['plums'], ['total'], ['figs'])];
  t.deepEqual(putOnPages({ sheets, others: [] }, ['apples pears cherries', 'plums total figs']), [
    'A\napples\npears\ntotal\ncherries',
    'plums\ntotal\nfigs',
  ]);
});
