import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const document = read('docs/operate/security.md');
const compose = z
  .looseObject({ services: z.looseObject({ sheaf: z.looseObject({ security_opt: z.array(z.string()), tmpfs: z.array(z.string()) }) }) })
  .parse(parse(read('docker-compose.yml')));
const { security_opt: options, tmpfs } = compose.services.sheaf;

test('the command for a container has the options of docker-compose.yml', (t) => {
  const command = /docker run [^`]*/.exec(document)?.[0] ?? '';
  const given = [...command.matchAll(/--security-opt (\S+)/g)].map(([, option = '']) => option);
  const wanted = options.map((option) => option.replace(/^no-new-privileges:true$/, 'no-new-privileges').replace(/:(?:\.\/)?/, '='));
  t.deepEqual(given.toSorted(), wanted.toSorted());
  t.deepEqual(
    [...command.matchAll(/--tmpfs (\S+)/g)].map(([, path]) => path),
    tmpfs.map((mount) => mount.split(':')[0]),
  );
  t.regex(command, /--read-only/);
  t.regex(command, /--cap-drop ALL/);
});

test('the files that the page on security names exist, and its exposure of the units is the one that is tested', (t) => {
  for (const [path] of document.matchAll(/deploy\/[\w./-]*\w/g)) t.true(existsSync(join(ROOT, path)), path);
  const tested = /MAX_EXPOSURE = ([\d.]+)/.exec(read('tests/unit/deploy/units.test.ts'))?.[1] ?? 'none';
  for (const text of [document, read('docs/install/systemd.md')]) t.true(text.includes(`exposure of ${tested} of 10`));
});
