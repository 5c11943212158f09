import { readJsonSidecar, readXmpSidecar } from '@sheaf/imports/testing';
import test from 'ava';

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test('what a JSON file beside a document says of it, under any of the usual names', (t) => {
  t.like(
    readJsonSidecar(
      json({
        title: 'Invoice 17',
        created: '2023-04-05T10:00:00Z',
        added: '2023-04-06T10:00:00+02:00',
        correspondent: { id: 3, name: 'ACME' },
        type: 'Invoice',
        asn: 17,
        tags: ['Finance/Tax', { name: 'Paid' }],
        keywords: 'a, b',
        notes: ['one', { note: 'two' }, ''],
        content: 'page one\fpage two',
        checksum: 'whatever',
      }),
    ),
    {
      title: 'Invoice 17',
      documentDate: '2023-04-05',
      addedAt: new Date('2023-04-06T08:00:00Z'),
      correspondent: 'ACME',
      documentType: 'Invoice',
      archiveNumber: 17,
      labels: [['Finance', 'Tax'], ['Paid'], ['a'], ['b']],
      notes: [{ text: 'one' }, { text: 'two' }],
      pages: ['page one', 'page two'],
    },
  );
  t.like(readJsonSidecar(json({ title: null, tags: null, date: 'yesterday', text: ' ' })), {
    title: undefined,
    labels: [],
    pages: undefined,
  });
});

test('a JSON file that is none, or says something else, is refused', (t) => {
  for (const bytes of [
    Buffer.from('{'),
    Buffer.from([0xff, 0xfe, 0x7b]),
    json([]),
    json({ title: 3 }),
    json({ tags: { a: 1 } }),
    json({ asn: 'x' }),
  ])
    t.throws(() => readJsonSidecar(bytes), undefined, bytes.toString());
});

const XMP = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmp:CreateDate="2023-04-05T10:00:00">
  <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Invoice &amp; more</rdf:li></rdf:Alt></dc:title>
  <dc:creator><rdf:Seq><rdf:li>ACME</rdf:li></rdf:Seq></dc:creator>
  <dc:subject><rdf:Bag><rdf:li>Finance</rdf:li><rdf:li>Tax</rdf:li><rdf:li>Paid</rdf:li></rdf:Bag></dc:subject>
  <lr:hierarchicalSubject><rdf:Bag><rdf:li>Finance|Tax</rdf:li></rdf:Bag></lr:hierarchicalSubject>
  <dc:description><rdf:Alt><rdf:li>Seen by Anna</rdf:li></rdf:Alt></dc:description>
</rdf:Description></rdf:RDF></x:xmpmeta>`;

test('what an XMP file beside a document says of it', (t) => {
  t.like(readXmpSidecar(Buffer.from(XMP)), {
    title: 'Invoice & more',
    documentDate: '2023-04-05',
    correspondent: 'ACME',
    labels: [['Finance', 'Tax'], ['Paid']],
    notes: [{ text: 'Seen by Anna' }],
  });
});

test('an XMP file is read in bounded depth, and what it declares expands to nothing', (t) => {
  t.throws(() => readXmpSidecar(Buffer.from('<a>'.repeat(100_000))), { message: /too deep/ });
  const bomb = '<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;">]><rdf:Description><dc:title>&c;</dc:title></rdf:Description>';
  t.is(readXmpSidecar(Buffer.from(bomb)).title, '&c;');
});
