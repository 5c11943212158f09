import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CpuMeter, readDisks, readMemoryShare } from '@sheaf/process/machine';
import test from 'ava';

const MEMINFO = 'MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    400 kB\n';

test('memory in use is what is not available, of the machine or of the container that is nearer to its limit', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-'));
  const places = { meminfo: join(folder.path, 'meminfo'), cgroup: folder.path };
  t.is(await readMemoryShare(places), undefined, 'a system without either');
  await writeFile(places.meminfo, MEMINFO);
  t.is(await readMemoryShare(places), 0.6);
  await writeFile(join(folder.path, 'memory.max'), 'max\n');
  await writeFile(join(folder.path, 'memory.current'), '950\n');
  t.is(await readMemoryShare(places), 0.6, 'a container without a limit');
  await writeFile(join(folder.path, 'memory.max'), '1000\n');
  t.is(await readMemoryShare(places), 0.95);
  await writeFile(join(folder.path, 'memory.stat'), 'anon 5\ninactive_file 250\n');
  t.is(await readMemoryShare(places), 0.7, 'files that were read can be forgotten');
});

test('the memory and the processors of this machine have a share', async (t) => {
  const memory = (await readMemoryShare()) ?? -1;
  t.true(memory > 0 && memory <= 1, String(memory));
  const cpu = new CpuMeter().look();
  t.true(cpu >= 0 && cpu <= 1, String(cpu));
});

test('each disk is looked at once, and of folders that are not there nothing is said', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-'));
  const disks = await readDisks([folder.path, join(folder.path, 'absent'), tmpdir()]);
  t.deepEqual(
    disks.map(({ path, folders }) => ({ path, folders })),
    [{ path: folder.path, folders: [folder.path, tmpdir()] }],
  );
  const [disk] = disks;
  t.true(disk !== undefined && disk.share > 0 && disk.share <= 1 && disk.freeBytes >= 0);
});
