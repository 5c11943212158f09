import { Secret } from '@sheaf/contract';
import { openSecret, sealSecret } from '@sheaf/process';
import test from 'ava';

const KEY = new Secret('a key of at least 32 characters, as it must be');
const CONTEXT = { ownerId: 'ann', purpose: 'totp' };
const BYTES = new Uint8Array([1, 2, 3, 0, 255]);

test('what was sealed opens again, and looks different each time', (t) => {
  const sealed = sealSecret(BYTES, KEY, CONTEXT);
  t.deepEqual([...(openSecret(sealed, KEY, CONTEXT) ?? [])], [...BYTES]);
  t.not(sealed, sealSecret(BYTES, KEY, CONTEXT));
  t.true(sealed.startsWith('k1.'));
});

test('it opens for nobody else, for nothing else and with no other key', (t) => {
  const sealed = sealSecret(BYTES, KEY, CONTEXT);
  t.is(openSecret(sealed, KEY, { ...CONTEXT, ownerId: 'bob' }), undefined);
  t.is(openSecret(sealed, KEY, { ...CONTEXT, purpose: 'source' }), undefined);
  t.is(openSecret(sealed, new Secret('another key of at least 32 characters, as well'), CONTEXT), undefined);
});

test('one changed bit anywhere is noticed, and rubbish is no secret', (t) => {
  const sealed = sealSecret(BYTES, KEY, CONTEXT);
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    t.is(openSecret(`k1.${changed.toString('base64url')}`, KEY, CONTEXT), undefined, `byte ${at}`);
  }
  for (const rubbish of ['', 'k1', 'k1.', 'k1.AAAA', sealed.slice(0, -4), `k2${sealed.slice(2)}`, sealed.slice(3)])
    t.is(openSecret(rubbish, KEY, CONTEXT), undefined, rubbish);
});
