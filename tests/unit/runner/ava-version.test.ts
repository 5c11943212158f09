import test from 'ava';
import { checkAvaVersion } from '../../runner/ava-version.ts';

test('the installed ava is the one whose internals are relied on', (t) => {
  t.notThrows(() => checkAvaVersion());
});

test('another version of ava is refused before any test runs, with what there is to look at', (t) => {
  t.throws(() => checkAvaVersion('9.0.0'), { message: /^ava is 9\.0\.0, and tests\/runner\/groups relies on internals of ava 8\.0\.1\. / });
});
