// Patterns mean what picomatch says, in bounded time.

import { createRequire } from 'node:module';
import { makeNamePatterns, refusalOfPatterns } from '@sheaf/storage/folders';
import { compileGlob, countWays, parseRegExp } from '@sheaf/storage/testing/folders';
import { isFullRun } from '@sheaf/testkit';
import test from 'ava';
import { array, assert, constantFrom, pre, property } from 'fast-check';

type Picomatch = (pattern: string, options: object) => (path: string) => boolean;
const picomatch = createRequire(new URL('../../../packages/storage/src/folders/patterns/glob.ts', import.meta.url))(
  'picomatch',
) as Picomatch;

const asPicomatch = (pattern: string): ((path: string) => boolean) =>
  picomatch(pattern, { basename: !pattern.includes('/'), dot: true, nocase: true });

const PATTERNS = [
  'A b.TXT',
  ...String.raw`* ** *.pdf .* ~* *.tmp *.* ? ??.txt a ./a */* **/* **/*.* **/.* */ a/ invoices/** **/invoices/** a/**/b **/a/**/b/** /**
    a** **a a/**b *** *.{pdf,txt} {a,b/c}/*.txt {a,{b,c}} a{1..3} { } a{b} {a [a-c]* [!a]* [^a]* [a a] []a] [[:alpha:]] [a/b] x[.]y !*.pdf !!a
    !a/** (a|b) a(b a|b +(a|b) *(a) @(a|b).txt ?(a)b !(a).txt !(*.d).ts **/!(a)/* a+ [ab]+ (a)+ a\* \* \ \d \x61 \X61 \u0061 ^a a$ ä* *Ä 🗂* ſ K
    .. . ../a *.tar.gz ))|(`.split(/\s+/),
];
const PATHS = [
  'A B.txt',
  'line\nbreak.txt',
  'a\n',
  '-rf --help.txt',
  '🗂 x',
  '',
  ...String.raw`a b a.pdf deep/er/A.PDF .hidden in/.hidden.pdf ~$x.doc x.TMP invoices invoices/ invoices/a x/invoices/y/z.pdf a/b a/x/b a/x/y/b
    x/a/y/b/z /a aa ab ba bc b/c/d.txt a1 a3 { } a{b} [a a] ] x.y xxy .. . a/.. a/../b ../a * a* \ d 1 ^a a$ a+ a|b (a) Ä xä S s ſ k K a.tar.gz
    ts a.ts a.d.ts x.txt a// //`.split(/\s+/),
];

test('every kind of pattern says of every kind of path what picomatch says', (t) => {
  const wrong: string[] = [];
  for (const pattern of PATTERNS) {
    const { matches, follow = matches } = compileGlob(pattern);
    const expected = asPicomatch(pattern);
    for (const path of PATHS)
      if (matches(path) !== expected(path) || follow(path) !== expected(path)) wrong.push(`${pattern} on ${JSON.stringify(path)}`);
  }
  t.deepEqual(wrong, []);
});

const RUNS = isFullRun ? 5_000 : 300;

test('and so does any other pattern', (t) => {
  const text = (characters: string, maxLength: number) =>
    array(constantFrom(...characters.split('')), { maxLength, minLength: 1 }).map((units) => units.join(''));
  let followed = 0;
  assert(
    property(text('aabB.**//??{},[]!^()+@|-1\\', 12), array(text('aAb./B,{]1', 9), { minLength: 5, maxLength: 20 }), (pattern, paths) => {
      // picomatch itself hangs there
      pre(!pattern.endsWith('\\\\\\\\'));
      const { follow } = compileGlob(pattern);
      if (follow === undefined) return;
      followed += 1;
      const expected = asPicomatch(pattern);
      for (const path of paths) if (follow(path) !== expected(path)) throw new Error(`${pattern} on ${path}: ${expected(path)} is right`);
    }),
    { numRuns: RUNS },
  );
  t.true(followed > RUNS * 0.6, String(followed));
});

const fill = (part: string, characters: number): string => part.repeat(Math.ceil(characters / part.length)).slice(0, characters);

const HOSTILE =
  String.raw`*a ?* **a a** **/ **/a/ */ /** {a,a*} {*,**} {a,{a, [a-z]* [!b] (a*) (a*)* ((a*)* !(a*) +(a) +(a|aa) *(a|*) +(*(a)|b) ?(a)
  @(a|a) a+ [a]+ (a+)+ ((a+)+ ! \a* {a..z} {**/,} !(!(a) {a,a}`
    .split(/\s+/)
    .flatMap((part) => [part.repeat(Math.floor(199 / part.length)), fill(part, 200)])
    .flatMap((pattern, turn) =>
      // the usual run takes one of the three forms by turns
      [pattern, `${pattern.slice(0, 199)}b`, `b${pattern.slice(0, 199)}`].filter((_, form) => isFullRun || form === turn % 3),
    );
const LONG_PATHS = ['a', 'a/', 'aA/.', 'b'].flatMap((part) => [`${fill(part, 4_095)}c`, `c${fill(part, 4_095)}`, fill(part, 4_096)]);

test('no pattern of 200 characters takes more steps for a path of 4,096 than its states times the path', (t) => {
  for (const pattern of HOSTILE) {
    const { states, countSteps } = compileGlob(pattern);
    if (states === undefined || countSteps === undefined) {
      t.not(refusalOfPatterns([pattern]), undefined, pattern);
      continue;
    }
    for (const path of LONG_PATHS) {
      const steps = countSteps(path);
      t.true(steps <= 3 * states * (path.length + 1), `${pattern}: ${steps}`);
      if (refusalOfPatterns([pattern]) === undefined) t.true(steps < 15_000_000, `${pattern}: ${steps}`);
    }
  }
});

test('patterns that would keep a regular expression busy for years are answered', (t) => {
  const patterns = ['*a', '{a,a}', '(a*)*', '**/*'].map((part) => `b${part.repeat(Math.floor(198 / part.length))}b`);
  const { isWanted, findIgnoring } = makeNamePatterns({ patterns, ignorePatterns: patterns });
  for (const path of [fill('a', 4_096), `${fill('a/', 4_095)}b`, `b${fill('a', 4_095)}`]) {
    t.false(isWanted(path));
    t.is(findIgnoring(path), undefined);
  }
});

test('a pattern that ends with many backslashes is read to its end', (t) => {
  for (const length of [1, 2, 3, 4, 5, 6, 50])
    for (const start of ['a', '-(}', '[', 'a/*'])
      t.false(compileGlob(`${start}${'\\'.repeat(length)}`).matches('b'), `${start} and ${length}`);
  t.true(compileGlob(`a${'\\'.repeat(6)}`).matches('a\\'));
});

test('a regular expression is tried only where it has few ways to part a path', (t) => {
  const ways = (pattern: string) => {
    const term = parseRegExp(`^${pattern}$`);
    return term && countWays(term, 100);
  };
  t.is(ways('[^/]*?\\.pdf'), 101);
  t.is(ways('[^/]*?a[^/]*?b'), 101 ** 2);
  t.is(ways('(?:a|a)'.repeat(20)), 2 ** 20);
  t.is(ways('a{1,3}?b?'), 6);
  for (const pattern of ['(?:a*)*', '(?:a|b)*', '(?:(?!x|y).)+']) t.is(ways(pattern), Number.POSITIVE_INFINITY, pattern);
});

test('what is plainly none of a pattern is so after a few steps', (t) => {
  const { countSteps } = compileGlob('*.pdf');
  t.true((countSteps?.(`${fill('a', 4_000)}.txt`) ?? Number.POSITIVE_INFINITY) < 50);
});

test('patterns of strangers that take much work, or that only picomatch itself can follow, are refused; those of the operator work', (t) => {
  const many = Array.from({ length: 50 }, (_, n) => `reports/**/*-${n}.{pdf,docx}`);
  for (const patterns of [['*'], ['*.pdf', 'invoices/**', '**/20[0-9][0-9]/*.{pdf,txt}'], many])
    t.is(refusalOfPatterns(patterns), undefined);
  t.regex(refusalOfPatterns(['*', '(a)\\1']) ?? '', /^\(a\)\\1 is not supported/);
  t.regex(refusalOfPatterns([fill('**/a/', 200)]) ?? '', /too complex; /);
  t.regex(refusalOfPatterns(Array.from({ length: 50 }, () => fill('*a', 200))) ?? '', /together/);
  const { isWanted } = makeNamePatterns({ patterns: ['(a)\\1*'], ignorePatterns: [] });
  t.true(isWanted('in/aa.txt'));
  t.false(isWanted('in/ab.txt'));
});
