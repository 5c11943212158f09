import { parseProcfile } from '@sheaf/supervisor/testing';
import test from 'ava';

test('a Procfile gives names and commands in its order', (t) => {
  const text = '# the service\n\napi: node apps/api/src/main.ts\r\n  ocr-worker:node   apps/ocr-worker/src/main.ts --flag\n';
  t.deepEqual(parseProcfile(text), [
    { name: 'api', command: ['node', 'apps/api/src/main.ts'] },
    { name: 'ocr-worker', command: ['node', 'apps/ocr-worker/src/main.ts', '--flag'] },
  ]);
});

for (const [what, text, message] of [
  ['a line without a command', 'api: node x\nworker:', /line 2/],
  ['a line without a name', 'node apps/api/src/main.ts', /line 1/],
  ['a name that comes twice', 'api: a\napi: b', /line 2: duplicate name api/],
  ['a Procfile without entries', '# nothing\n', /no "name: command" line/],
] as const) {
  test(`${what} is refused`, (t) => {
    t.throws(() => parseProcfile(text), { message });
  });
}
