import { EINVOICE_ERROR_CODES, EinvoiceError, readEinvoice } from '@sheaf/einvoice';
import test from 'ava';
import { bytesOf, HOSTILE } from './hostile-xml.ts';
import { ublXml } from './ubl-xml.ts';

/** Half of what the largest of them have: nobody goes on to their end. How long it takes, tests/unit/growth/einvoices.test.ts says. */
const MOST_BYTES = 25 * 1024 ** 2;

for (const [what, hostile] of Object.entries(HOSTILE)) {
  test.serial(`a document is refused that ${what}`, async (t) => {
    let given = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const bytes of bytesOf(hostile)) {
        given += bytes.length;
        yield bytes;
      }
    }
    const error = await t.throwsAsync(readEinvoice(counted()), { instanceOf: EinvoiceError });
    t.is(error?.code, hostile.code);
    t.true(given <= MOST_BYTES, `${given} bytes`);
    t.notRegex(error?.message ?? '', /passwd|secret|root:/);
  });
}

test('every code of an error has a document that shows it', (t) => {
  const shown = new Set(Object.values(HOSTILE).map(({ code }) => code));
  t.deepEqual(
    EINVOICE_ERROR_CODES.filter((code) => !shown.has(code)),
    ['wrong_encoding'], // see the test of encodings
  );
});

test('the limit of bytes ends the reading of a stream', async (t) => {
  let given = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(ublXml().slice(0, 600));
    for (;;) {
      given += 1;
      yield Buffer.from('<!-- more -->');
    }
  }
  await t.throwsAsync(readEinvoice(endless(), { maxBytes: 10_000 }), { code: 'too_large' });
  t.true(given < 1_000);
});

test('characters and the five entities of XML are resolved', async (t) => {
  const { seller } = await readEinvoice(Buffer.from(ublXml({ sellerName: '&lt;A&gt; &amp; &quot;B&quot; &#x2602;&#65;<![CDATA[<&]]>' })));
  t.is(seller.name, '<A> & "B" ☂A<&');
});
