import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { clusterPrefix, removeLeftClusters } from '../../runner/left-clusters.ts';

test('the database of a run that was killed is removed by the next one, and no other folder', async (t) => {
  const parent = await mkdtemp(join(tmpdir(), 'sheaf-left-'));
  t.teardown(() => rm(parent, { recursive: true, force: true }));
  const ended = spawnSync(process.execPath, ['--version']).pid;
  const [left, running] = [`${clusterPrefix(ended)}abc`, `${clusterPrefix()}abc`];
  for (const name of [left, running, 'sheaf-tests-abc', 'somebody-elses-1-abc']) {
    await mkdir(join(parent, name, 'postgres'), { recursive: true });
    await writeFile(join(parent, name, 'postgres/PG_VERSION'), '18\n');
  }
  await removeLeftClusters(parent);
  t.deepEqual((await readdir(parent)).toSorted(), ['sheaf-tests-abc', running, 'somebody-elses-1-abc'].toSorted());
  await t.notThrowsAsync(removeLeftClusters(join(parent, 'not-there')));
});
