import { estimate, MIN_TOKENS, SignatureBuilder, tokensOf } from '@sheaf/filing/testing/near-duplicates';
import test from 'ava';

const textOf = (seed: string, words: number): string =>
  Array.from(
    { length: words },
    (_, at) => `${seed}${'abcdefghij'.charAt(at % 10)}word${String.fromCodePoint(97 + (at % 26))} ${at * 37}`,
  ).join(' ');

const signatureOf = (...parts: readonly string[]): Uint8Array => {
  const builder = new SignatureBuilder();
  for (const part of parts) builder.add(tokensOf(part));
  const signature = builder.build();
  if (signature === undefined) throw new Error('the text is too short');
  return signature;
};

test('words are without case and accents, numbers without punctuation, and text without spaces comes in pieces', (t) => {
  const texts = tokensOf('Größe am 17.05.2024: 1,234.50 EUR, an ÉTÉ x 7').map(({ text }) => text);
  t.deepEqual(texts, ['grosse', '17052024', '123450', 'eur', 'ete']);
  t.deepEqual(
    tokensOf('請求書番号').map(({ text }) => text),
    ['請求書', '求書番', '書番号'],
  );
});

test('a text of too few words has no signature, and parts make the same one as the whole', (t) => {
  const builder = new SignatureBuilder();
  builder.add(tokensOf('word '.repeat(MIN_TOKENS - 1)));
  t.is(builder.build(), undefined);
  t.deepEqual(signatureOf(textOf('a', 30), textOf('b', 30)), signatureOf(`${textOf('a', 30)} ${textOf('b', 30)}`));
});

test('estimates are 1 for the same text, near 0 for another one, and between for half of it', (t) => {
  const [one, other] = [signatureOf(textOf('a', 200)), signatureOf(textOf('b', 200).replaceAll(/\d+/g, (number) => `${number}9`))];
  t.deepEqual(estimate(one, one), { words: 1, numbers: 1 });
  const apart = estimate(one, other);
  t.true(apart.words < 0.2 && apart.numbers < 0.3, JSON.stringify(apart));
});

test('a hostile text takes little processor time', (t) => {
  const before = process.cpuUsage();
  for (const text of ['1.'.repeat(200_000), 'a'.repeat(400_000), '漢'.repeat(60_000), '9'.repeat(400_000)]) {
    const builder = new SignatureBuilder();
    builder.add(tokensOf(text));
    builder.build();
  }
  const { user } = process.cpuUsage(before);
  t.true(user < 3_000_000, `${user / 1_000} ms`);
});
