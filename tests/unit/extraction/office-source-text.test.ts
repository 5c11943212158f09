import { findUnseen, readSourceParagraphs as read } from '@sheaf/extraction/testing/office';
import { openByteSource } from '@sheaf/sandbox/containers';
import test from 'ava';
import { makeZip } from '../../fixtures/zip.ts';

const readSourceParagraphs = async (bytes: Buffer) => {
  await using source = await openByteSource(bytes);
  return await read(source, 20_000);
};

const word = (body: string): Buffer =>
  makeZip([{ name: 'word/document.xml', text: `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>` }]);

test('the runs of a paragraph are one text, and a note is a paragraph of its own', async (t) => {
  t.deepEqual(
    await readSourceParagraphs(
      word(
        '<w:p><w:r><w:t>Tea &amp; </w:t></w:r><w:r><w:t xml:space="preserve">coffee</w:t><w:tab/><w:instrText>PAGE</w:instrText></w:r></w:p>',
      ),
    ),
    ['Tea & coffee'],
  );
  const note =
    '<text:p>before<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>the note</text:p></text:note-body></text:note> after</text:p>';
  t.deepEqual(await readSourceParagraphs(makeZip([{ name: 'content.xml', text: `<office:text>${note}</office:text>` }])), [
    'the note',
    'before after',
  ]);
});

test('cells, notes of speakers and comments are found', async (t) => {
  const parts = [
    { name: 'xl/sharedStrings.xml', text: '<sst><si><t>too long for its cell</t></si></sst>' },
    { name: 'ppt/notesSlides/notesSlide1.xml', text: '<p:notes><a:p><a:r><a:t>smile here</a:t></a:r></a:p></p:notes>' },
  ];
  t.deepEqual(await readSourceParagraphs(makeZip(parts)), ['too long for its cell', 'smile here']);
});

test('entities of the document itself stay as they are', async (t) => {
  const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]>';
  t.deepEqual(
    await readSourceParagraphs(makeZip([{ name: 'word/document.xml', text: `${bomb}<w:p><w:t>&a;&b;&#65;&#x42;</w:t></w:p>` }])),
    ['&a;&b;AB'],
  );
});

test('tables in tables without end are told apart from documents', async (t) => {
  t.is(await readSourceParagraphs(word('<w:tbl>'.repeat(3_000))), undefined);
});

test('only what the rendition lacks is unseen; white space, case and hyphens do not count', (t) => {
  const rendered = 'Eto ochen prostoy1 text\nA long para-\ngraph\fnext';
  t.deepEqual(findUnseen(['eto ochen prostoy text', 'A  LONG paragraph', 'next', 'hidden cell', 'hidden cell'], rendered), [
    'eto ochen prostoy text',
    'hidden cell',
  ]);
});
