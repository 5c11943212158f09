import { storableText } from '@sheaf/contract';
import { isUsableTextLayer } from '@sheaf/extraction/testing/pdf';
import test from 'ava';

test('text in any script is usable, white space is not', (t) => {
  for (const text of ['Hello', 'привет', '同胞の精神', '€ 12,50']) t.true(isUsableTextLayer(text), text);
  t.false(isUsableTextLayer(' \n\t\u00a0'));
});

test('a layer of glyphs without letters is not usable, a few of them do not matter', (t) => {
  t.false(isUsableTextLayer('\ue001\ue002\ue003 \ufffd\ufffd'));
  t.false(isUsableTextLayer('\u0001\u0002\u0003'));
  t.true(isUsableTextLayer('\uf0b7 a list with a bullet from a symbol font'));
});

test('what PostgreSQL refuses is taken out', (t) => {
  t.is(storableText('birch\0 note'), 'birch note');
  t.is(storableText('half \ud83d of a pair, whole \ud83d\ude00'), 'half \ufffd of a pair, whole \ud83d\ude00');
});
