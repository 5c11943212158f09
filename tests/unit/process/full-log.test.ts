import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import test from 'ava';

const RUNTIME = import.meta.resolve('@sheaf/process');

for (const format of ['text', 'json'])
  test(`a process whose log (${format}) has no room on its disk goes on`, (t) => {
    const program = `import { makeLogger } from ${JSON.stringify(RUNTIME)};
      const log = makeLogger({ level: 'info', format: '${format}' }, 'api');
      for (let n = 0; n < 3; n += 1) log.info('no room');
      log.fatal('still no room');
      setImmediate(() => process.stderr.write('went on'));`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      encoding: 'utf8',
    });
    t.is(stderr, 'went on');
    t.is(status, 0);
  });
