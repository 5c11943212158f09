import { EINVOICE_ERROR_CODES, EinvoiceError, readEinvoice } from '@sheaf/einvoice';
import test from 'ava';
import { threadCpuMs } from '../../support/thread-cpu-ms.ts';
import { bytesOf, HOSTILE } from './hostile-xml.ts';
import { ublXml } from './ubl-xml.ts';

const MAX_CPU_MS = 2_000;

for (const [what, hostile] of Object.entries(HOSTILE)) {
  test.serial(`a document is refused that ${what}`, async (t) => {
    const beganMs = threadCpuMs();
    const error = await t.throwsAsync(readEinvoice(bytesOf(hostile)), { instanceOf: EinvoiceError });
    const takenMs = threadCpuMs() - beganMs;
    t.is(error?.code, hostile.code);
    t.true(takenMs < MAX_CPU_MS);
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
