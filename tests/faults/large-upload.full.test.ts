import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import test from 'ava';
import { givenService } from '../support/given-service.ts';

const MEGABYTE = 1024 * 1024;
const UPLOAD_MEGABYTES = 480;
const MAY_RISE_BY_MEGABYTES = 50;

const residentBytes = async (pid: number, what: 'VmRSS' | 'VmHWM'): Promise<number> => {
  const [, kilobytes = ''] = new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
};

test('an upload of nearly 500 MB does not raise the memory of the api by more than 50 MB', async (t) => {
  t.timeout(3 * 180_000);
  await using given = await givenService({ MAX_FILE_SIZE_MB: '500', OCR_ENABLED: 'false' }, ['--only', 'api']);
  const anyone = await given.service.ready();
  const admin = await anyone.register('admin');
  // a first upload, so that what every upload needs is in memory already; a smaller file would not go by way of the disk
  await admin.upload({ name: 'first.txt', bytes: new Uint8Array(MEGABYTE).fill('x'.charCodeAt(0)) });
  const [api] = await given.service.processIds('apps/api/src/main.ts');
  if (api === undefined) throw new Error('no api runs');
  const { body: signIn } = await anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' });
  const before = await residentBytes(api, 'VmRSS');

  // printable bytes without line breaks: one enormous word, which costs the reader next to nothing
  const block = Buffer.alloc(MEGABYTE, 'x');
  const head = Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="large.txt"\r\n\r\n');
  const tail = Buffer.from('\r\n--b--\r\n');
  const upload = request(new URL('/api/documents/upload', admin.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${String(signIn['token'])}`, 'content-type': 'multipart/form-data; boundary=b' },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    upload.once('response', (response) => resolve(response.resume().statusCode));
    upload.once('error', reject);
  });
  await pipeline(
    Readable.from(
      (function* () {
        yield head;
        for (let n = 0; n < UPLOAD_MEGABYTES; n += 1) yield block;
        yield tail;
      })(),
    ),
    upload,
  );
  t.is(await answered, 201);
  const rise = ((await residentBytes(api, 'VmHWM')) - before) / MEGABYTE;
  t.log(`peak rose by ${rise.toFixed(1)} MB`);
  t.true(rise < MAY_RISE_BY_MEGABYTES, `the peak rose by ${rise.toFixed(1)} MB`);
});
