import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkConfig, exampleServiceFile, FILE_PLACES } from '@sheaf/config';
import test from 'ava';

test('deploy/service.example.yml is as the declarations make it', async (t) => {
  t.is(
    await readFile(join(import.meta.dirname, '../../../deploy/service.example.yml'), 'utf8'),
    exampleServiceFile(),
    'run `npm run docs`',
  );
});

test('the example has every variable, and with each key made to count it says what the defaults say', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-example-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const check = (text: string) => {
    writeFileSync(join(folder, 'service.yml'), text);
    return checkConfig({ environment: { CONFIG_FILE: join(folder, 'service.yml') } });
  };
  t.deepEqual(check(exampleServiceFile()).issues, []);
  const { issues, raw } = check(exampleServiceFile().replaceAll(/^ {2}#(?=\S)/gm, '  '));
  t.deepEqual(issues, []);
  const { raw: defaults } = checkConfig({ environment: {} });
  for (const name of FILE_PLACES.keys()) {
    t.is(raw[name]?.text, defaults[name]?.text, name);
    t.is(raw[name]?.origin, defaults[name] === undefined ? undefined : 'file', name);
  }
});
