import { textOfLayout } from '@sheaf/extraction/testing/pdf';
import test from 'ava';

const HEIGHT = 10;
/** Words beside each other, each behind a gap of so many points. */
const line = (...words: readonly (readonly [text: string, gap?: number])[]): string => {
  let right = 0;
  const placed = words.map(([text, gap = 3]) => {
    const left = right + gap;
    right = left + 20;
    return `<word xMin="${left}" yMin="0.0" xMax="${right}" yMax="${HEIGHT}">${text}</word>\n`;
  });
  return `<line xMin="0" yMin="0" xMax="9" yMax="9">\n${placed.join('')}</line>\n`;
};
const block = (...lines: readonly string[]): string => `<block xMin="0" yMin="0" xMax="9" yMax="9">\n${lines.join('')}</block>\n`;
const flow = (...blocks: readonly string[]): string => `<flow>\n${blocks.join('')}</flow>\n`;
const page = (...flows: readonly string[]): string => `<page width="600" height="800">\n${flows.join('')}</page>\n`;

test('lines end with their block, flows with an empty line, pages with a form feed', (t) => {
  const layout = page(flow(block(line(['a'], ['bc']), line(['d'])), block(line(['e']))), flow(block(line(['f'])))) + page();
  t.is(textOfLayout(layout), 'a bc\nd\ne\n\nf\n\n\f\f');
});

test('words that touch are one, as where the font changes within a word; signs stand for entities', (t) => {
  t.is(textOfLayout(page(flow(block(line(['end'], [')', 0], ['&lt;x&gt;&amp;'], ['a', -0.5]))))), 'end) <x>&a\n\n\f');
});

test('a hyphen at the end of a line is left out where its flow goes on, and kept where it does not', (t) => {
  t.is(textOfLayout(page(flow(block(line(['ship-']), line(['ping-'])), block(line(['x-']))))), 'shippingx-\n\n\f');
});

const UNCLEAR = {
  'a gap that may be a space or not': line(['ab'], ['cd', 0.5]),
  'single letters with gaps, whose spaces are wider': line(['a'], ['b'], ['c']),
  'words upon each other, as in a line from top to bottom': line(['ab'], ['cd', -4]),
  'words from the right': line(['ab'], ['שלום']),
  'a word without places': '<line>\n<word a>a</word>\n</line>\n',
};
for (const [name, lines] of Object.entries(UNCLEAR))
  test(`no text is made of ${name}`, (t) => {
    t.is(textOfLayout(page(flow(block(lines)))), undefined);
  });
